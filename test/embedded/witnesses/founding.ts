import { Buffer } from "node:buffer";
import { createCodec, emptyIntent, sha256, toKey, type Write } from "@seriatim/protocol";
import { EmbeddedSpace } from "../../../libs/seriatim/src/embedded-space.ts";
import { History } from "./history.ts";

/** More than two pages of a scan. */
export const bulkKeys = Array.from({ length: 520 }, (_, index) => `bulk/${index.toString(7)}`);

/** More than a page of a count. */
export const wideKeys = Array.from({ length: 10_010 }, (_, index) => `wide/${index}`);

/** So low that they are reached. */
const limits = { points: 310, ranges: 4 };

/** A file with all these keys, which others begin with a copy of, and its history. */
export async function found(path: string): Promise<History> {
  const space = await EmbeddedSpace.open(path, { socket: false, synchronous: "normal", limits });
  const { codec, genesis } = space;
  const keys = [...bulkKeys, ...wideKeys];
  const { writes: most } = genesis.limits;
  for (let from = 0; from < keys.length; from += most) {
    const writes = keys
      .slice(from, from + most)
      .map((key): Write => ({ key: toKey(key), value: json(0), blind: true }));
    const intent = { ...emptyIntent, space: genesis.space, id: `founding-${from}`, agent: "founder", writes };
    await space.append(0, codec.encodeIntent(intent));
  }
  const history = historyOf(space);
  await space.close();
  return history;
}

/** What stands in the logs, after what stood there before. */
export function historyOf({ genesis, intents, verdicts }: EmbeddedSpace, before?: History): History {
  const first = before === undefined ? 0 : before.times.size;
  const all = { count: 1e6, bytes: 1e9 };
  const records = { intents: intents.readNow(0, first, all), verdicts: verdicts.readNow(0, first, all) };
  return new History(createCodec(genesis, sha256), records, before);
}

function json(value: unknown): Uint8Array {
  return Buffer.from(JSON.stringify(value), "utf8");
}
