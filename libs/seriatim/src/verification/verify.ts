import { hexOf, sha256 } from "@seriatim/protocol";
import type { View } from "@seriatim/view";
import { allPartitions } from "../genesis.ts";
import { difference } from "./compare.ts";
import { readUpTo } from "./read-up-to.ts";
import { refold, withFreshView, type Logs } from "./refold.ts";

/** What was found of one partition. */
export interface Verified {
  readonly partition: number;
  /** The offset up to which the view was compared. */
  readonly applied: number;
  /** In hex. */
  readonly chain: string;
  /** What does not hold, in sentences. */
  readonly faults: readonly string[];
}

/**
 * Folds the verdicts anew and compares: the chain hash where the view stands, the digest of each intents record with the
 * one that its verdict names, and every write and value in the view. The space may be at work meanwhile.
 */
export async function verify(logs: Logs, view: View, signal: AbortSignal): Promise<Verified[]> {
  return withFreshView(logs, async (fresh, file) => {
    const found: Verified[] = [];
    for (const partition of allPartitions(logs.codec.genesis)) {
      const { offset: applied, chain } = view.position(partition);
      await refold(logs, { view: fresh, file }, { partition, upTo: applied, signal });
      const faults: string[] = [];
      const reached = fresh.position(partition);
      if (reached.offset !== applied)
        faults.push(`the verdicts lead to offset ${reached.offset}, and the view stands at ${applied}`);
      else if (reached.chain !== chain)
        faults.push(`the chain at offset ${applied} is ${hexOf(reached.chain)} in the log`);
      faults.push(...(await digestFaults(logs, fresh, { partition, upTo: reached.offset, signal })));
      const { partitions } = logs.codec.genesis;
      const differs = difference(view, fresh, { partition, partitions, upTo: Math.min(applied, reached.offset) });
      if (differs !== undefined) faults.push(differs);
      found.push({ partition, applied, chain: hexOf(chain), faults });
    }
    return found;
  });
}

/** The first intents record that is not the one its verdict names, and the first without a verdict. */
async function digestFaults(
  { intents }: Logs,
  refolded: View,
  { partition, upTo, signal }: { readonly partition: number; readonly upTo: number; readonly signal: AbortSignal },
): Promise<string[]> {
  for await (const records of readUpTo(intents, partition, signal)) {
    for (const { offset, value } of records) {
      if (offset > upTo) return [];
      const decision = refolded.decision(partition, offset);
      if (decision === undefined) return [`the intents record at offset ${offset} has no verdict`];
      if (decision.digest !== sha256(value))
        return [`the intents record at offset ${offset} is not the one that its verdict names`];
    }
  }
  return [];
}
