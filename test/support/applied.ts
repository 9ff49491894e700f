import { beforeGenesis, linkOf, type Position, type Verdict } from "@seriatim/protocol";
import type { Participant } from "./spaces.ts";

/** The verdicts of a partition as every reader applies them, read from the log up to the one on the record at `last`. */
export async function appliedVerdicts(
  { verdicts, codec }: Pick<Participant["space"], "verdicts" | "codec">,
  partition: number,
  last: number,
): Promise<Verdict[]> {
  const applied: Verdict[] = [];
  let position: Position = beforeGenesis;
  const stop = new AbortController();
  for await (const { records } of verdicts.read(new Map([[partition, 0]]), { signal: stop.signal })) {
    for (const { value } of records) {
      const verdict = codec.decodeVerdict(value);
      if (verdict === undefined || linkOf(position, verdict) !== "next") continue;
      applied.push(verdict);
      position = verdict;
    }
    if (position.offset >= last) stop.abort();
  }
  return applied;
}
