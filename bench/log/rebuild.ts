import { join } from "node:path";
import { SqliteFile, SqliteLog } from "@seriatim/log";
import { sha256, toKey, createCodec, type Genesis } from "@seriatim/protocol";
import { follow, View } from "@seriatim/view";
import type { Figure, Options, Part } from "./report.ts";
import { intentOf, openSpace } from "./spaces.ts";

/** How many writes each intent has. */
const shapes = [1, 10, 100] as const;

/** So many versions are folded; half of the keys are written a second time. */
const versions = 100_000;

export const rebuild: Part = {
  name: "rebuild",
  about: "a view made anew from the verdicts log; the file with the log in it is another one; synchronous=NORMAL",
  async run(options) {
    const figures: Figure[] = [];
    for (const writes of shapes) {
      options.say(`${writes} writes an intent`);
      figures.push(await measure(writes, options));
    }
    const best = Math.max(...figures.map(({ value }) => value));
    return {
      part: "rebuild",
      figures,
      ratios: [{ name: "rebuild, at best / 200,000 versions a second", value: best / 200_000, target: { least: 1 } }],
    };
  },
};

const nothing = (): void => undefined;

async function measure(writes: number, { folder }: Options): Promise<Figure> {
  const path = join(folder, `verdicts-${writes}.db`);
  const genesis = await fill(path, writes);
  const source = SqliteFile.open(path);
  const file = SqliteFile.open(join(folder, `view-${writes}.db`), { synchronous: "normal" });
  const log = await SqliteLog.open(source, "verdicts");
  const view = await View.open(file);
  const codec = createCodec(genesis, sha256);
  const stop = new AbortController();
  const processor = process.cpuUsage();
  const begun = performance.now();
  const following = follow({
    log,
    view,
    file,
    codec,
    partitions: [0],
    signal: stop.signal,
    onAdvance: nothing,
    onAlarm: nothing,
  });
  await following.caughtUp;
  const took = performance.now() - begun;
  const { user, system } = process.cpuUsage(processor);
  stop.abort();
  await following.ended;
  source.close();
  file.close();
  const name = `rebuild, ${writes} ${writes === 1 ? "version" : "versions"} a verdict`;
  const note = `${((user + system) / versions).toFixed(1)} µs of processor each`;
  return { name, value: (versions * 1000) / took, unit: "versions/s", note };
}

/** A verdicts log of so many versions. */
async function fill(path: string, writes: number): Promise<Genesis> {
  const space = await openSpace(path, { socket: false, synchronous: "normal" });
  const count = versions / writes;
  const value = Buffer.from(JSON.stringify({ text: "x".repeat(80) }));
  const intents = Array.from({ length: count }, (_, intent) =>
    space.codec.encodeIntent(
      intentOf(space, crypto.randomUUID(), {
        isolation: "none",
        writes: Array.from({ length: writes }, (__, index) => ({
          key: toKey(`table/${String(((intent * writes + index) * 7919) % (versions / 2)).padStart(8, "0")}`),
          value,
          blind: true,
        })),
      }),
    ),
  );
  await Promise.all(intents.map((intent) => space.append(0, intent)));
  const { commits } = space.view.statistics(0);
  await space.close();
  if (commits !== count) throw new Error(`${count - commits} of ${count} intents were refused`);
  return space.genesis;
}
