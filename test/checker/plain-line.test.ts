import { createCodec, createGenesis, sha256 } from "@seriatim/protocol";
import { expect, test } from "vitest";
import { parseLine } from "../../libs/checker/src/export/line-batches.ts";
import { plainItem } from "../../libs/checker/src/export/plain-line.ts";
import { itemOf } from "../../libs/checker/src/export/read-lines.ts";
import type { Item } from "../../libs/checker/src/space/items.ts";
import { Random } from "./random.ts";

const context = { codec: createCodec(createGenesis({ partitions: 2 }), sha256), hash: sha256, hasGenesis: true };
const texts = ["k/1", "größe/ß", 'a "quoted" one', "back\\slash", "tab\there", "", "🦀/x", "\u0000"];

/** A line as an export has it, or nearly: fields left out, in another order, of another kind. */
function randomLine(random: Random): string {
  const text = (): string => texts[random.below(texts.length)] ?? "";
  const number = (): number => (random.chance(0.1) ? -1 : random.below(random.chance(0.1) ? 2 ** 50 : 100));
  const list = <Entry>(entry: () => Entry): Entry[] => Array.from({ length: random.below(4) }, entry);
  const fields: [string, unknown][] = [
    ["partition", random.below(2)],
    ["offset", number()],
    ["time", number()],
    ["id", text()],
    ["agent", text()],
    ["snapshot", number()],
    ["isolation", ["snapshot", "none", "serializable", "other"][random.below(4)]],
    ["points", list(() => [text(), random.chance(0.3) ? null : number()])],
    ["ranges", list(() => [text(), text()])],
    ["writes", list(() => [text(), random.chance(0.3) ? null : text(), ...(random.chance(0.3) ? [true] : [])])],
    ["effects", list(() => ["mail", "lane", text()])],
    ["result", text()],
    ["outcome", random.chance(0.8) ? "committed" : { refused: "conflict" }],
    ["chain", Buffer.alloc(random.chance(0.9) ? 32 : 31, 7).toString("base64")],
  ];
  const rare = new Set(["partition", "isolation", "ranges", "effects", "result", "chain"]);
  const kept = fields.filter(
    ([name, value]) => !random.chance(rare.has(name) ? 0.7 : 0.03) && !(Array.isArray(value) && value.length === 0),
  );
  return JSON.stringify(Object.fromEntries(kept));
}

/** The same with one character lost, doubled or put in place of another; read from a file, it is well-formed. */
function damaged(line: string, random: Random): string {
  const at = random.below(line.length);
  const put = ["", '"', "]", ",", "\\", "0", " ", "x"][random.below(8)] ?? "";
  return (line.slice(0, at) + put + line.slice(at + random.below(2))).toWellFormed();
}

function visible(item: Item): unknown {
  if (item.kind !== "decided") return item;
  const { partition, offset, time, record } = item.intent;
  return { ...item, intent: { partition, offset, time, record } };
}

test("a line read as it stands says what it says when it is parsed", () => {
  const seed = Number(process.env["SERIATIM_SEED"] ?? 1);
  const random = new Random(seed);
  let plain = 0;
  const lines = 20_000;
  for (let run = 0; run < lines; run += 1) {
    const whole = randomLine(random);
    const line = random.chance(0.5) ? whole : damaged(whole, random);
    const found = outcomeOf(() => plainItem(line, context));
    if (found === undefined) continue;
    plain += 1;
    expect(found, `with SERIATIM_SEED=${seed}: ${line}`).toEqual(outcomeOf(() => itemOf(parseLine(line), context)));
  }
  expect(plain).toBeGreaterThan(lines / 20);
});

function outcomeOf(read: () => Item | undefined): unknown {
  const item = read();
  return item === undefined ? undefined : visible(item);
}
