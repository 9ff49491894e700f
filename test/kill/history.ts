import { hexOf, type KeyRange } from "@seriatim/protocol";
import type { View } from "@seriatim/view";
import type { EmbeddedSpace } from "../../libs/seriatim/src/embedded-space.ts";
import type { KafkaSpace } from "../../libs/seriatim/src/kafka-space.ts";
import { withView, type Place } from "./place.ts";
import { readAll, replay, type Replay } from "./replay.ts";

export interface History {
  readonly verdicts: number;
  /** Verdicts in the log that answered what was answered before, with the same bytes. */
  readonly repeats: number;
  /** What differs from the replay: none, if all is well. */
  readonly differences: readonly string[];
}

const everything = { from: "" as KeyRange["from"], to: "\xff" as KeyRange["to"] };

/** Holds the verdicts log and every view against a replay of the intents from the start. */
export async function compareWithReplay(place: Place, space: EmbeddedSpace | KafkaSpace): Promise<History> {
  const differences: string[] = [];
  let verdicts = 0;
  let repeats = 0;
  for (let partition = 0; partition < space.genesis.partitions; partition += 1) {
    const replayed = await replay(space.intents, space.codec, partition);
    verdicts += replayed.verdicts.length;
    repeats += await compareLog(space, partition, replayed, differences);
    compareView("the judge's view", space.view, partition, replayed, differences);
    for (const path of place.views)
      await withView(path, (view) => compareView(path, view, partition, replayed, differences));
    if (space.view.position(partition).offset !== replayed.verdicts.at(-1)?.offset)
      differences.push(`the judge's view has not come to the end of partition ${partition}`);
  }
  return { verdicts, repeats, differences };
}

/** No version twice: whatever stands in the verdicts log for an offset is the same, byte by byte. */
async function compareLog(
  { verdicts, codec }: EmbeddedSpace | KafkaSpace,
  partition: number,
  replayed: Replay,
  differences: string[],
): Promise<number> {
  const seen = new Set<number>();
  let repeats = 0;
  const { end } = await verdicts.bounds(partition);
  await readAll(verdicts, partition, { from: 0, end }, (at, value) => {
    const offset = codec.decodeVerdict(value)?.offset;
    if (offset === undefined || replayed.bytes.get(offset) !== Buffer.from(value).toString("hex"))
      differences.push(`the verdict at ${at} of partition ${partition} is not the replay's`);
    else if (seen.has(offset)) repeats += 1;
    else seen.add(offset);
  });
  return repeats;
}

/** Offset and state agree, and the chain hash is the replay's. */
export function compareView(
  name: string,
  view: View,
  partition: number,
  replayed: Replay,
  differences: string[],
): void {
  const { offset, chain } = view.position(partition);
  if (offset < 0) return;
  if (replayed.chains.get(offset) !== hexOf(chain))
    differences.push(`the chain of ${name} differs in partition ${partition} at ${offset}`);
  const expected = replayed.stateAt(offset);
  const entries = view
    .scan(everything, offset, { limit: Number.MAX_SAFE_INTEGER })
    .filter(({ key }) => replayed.keys.has(key));
  const isEqual = entries.every(({ key, value }) => expected.get(key) === Buffer.from(value).toString());
  if (entries.length !== expected.size || !isEqual)
    differences.push(`what ${name} holds in partition ${partition} at ${offset} differs from the replay's`);
}
