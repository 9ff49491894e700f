/*
 * What a transaction's function was told is what its intent records as read, as it stood at its snapshot: random
 * transactions of several coordinators on one file, held against the log.
 */
import { join } from "node:path";
import * as fc from "fast-check";
import { beforeAll, expect, it } from "vitest";
import { holdsInTime } from "../../core/seeded.ts";
import { folderOfFile, temporaryFile } from "../../support/temporary.ts";
import { damages } from "./damages.ts";
import { found } from "./founding.ts";
import type { History } from "./history.ts";
import { faultsOf, faultsOfPair, pairsOf } from "./judge.ts";
import { play, type Played } from "./one-process.ts";

const template = join(folderOfFile(), "template.db");
let founded: History;
beforeAll(async () => {
  founded = await found(template);
});

const played = (seed: number): Promise<Played> => play(seed, template, founded, temporaryFile());

it("what functions were told is what their intents rest on", { timeout: 600_000 }, async () => {
  const seeds = fc.noShrink(fc.noBias(fc.nat({ max: 2 ** 32 - 1 })));
  const property = fc.asyncProperty(seeds, async (seed) => {
    const { history, statements } = await played(seed);
    // Thrown, for of an assertion that is not the test's own the difference is not shown.
    const faults = faultsOf(history, statements);
    if (faults.length > 0) throw new Error(faults.join("\n"));
  });
  await holdsInTime("test/embedded/witnesses/one-process.test.ts", property, 24);
});

/** All but what the machine's clock has a part in. */
function said({ statements: { testimonies, ...others } }: Played): unknown {
  const withoutTimes = testimonies.map(({ told, ...each }) => ({ ...each, told: told.map(({ offset }) => offset) }));
  return { ...others, testimonies: withoutTimes };
}

it("a seed decides all of it", async () => {
  const [one, other] = [await played(7), await played(7)];
  expect(said(other)).toEqual(said(one));
});

let example: Promise<Played> | undefined;

it.each(Object.entries(damages))("it would be noticed %s", async (_, damage) => {
  const { history, statements } = await (example ??= played(7));
  const pairs = pairsOf(history, statements).filter(({ testimony }) => testimony.isolation === "serializable");
  const damaged = pairs.map(damage).filter((pair, index) => JSON.stringify(pair) !== JSON.stringify(pairs[index]));
  expect(damaged.filter((pair) => faultsOfPair(history, pair).length > 0)).not.toEqual([]);
});
