import type { Digest } from "@seriatim/protocol";
import type { Faults } from "../cli/faults.ts";

const form = /^(?:(\d{1,5}):)?([0-9a-f]{8,64})…?$/;

/** Chain hashes, or their beginnings, by partition: as `seriatim status` prints them, with `PARTITION:` before. */
export function headsOf(texts: readonly string[], faults: Faults): ReadonlyMap<number, Digest> {
  const heads = new Map<number, Digest>();
  for (const text of texts) {
    const [, partition = "0", hash] = form.exec(text.toLowerCase()) ?? [];
    if (hash === undefined) {
      const example = "0:9f86d081884c";
      faults.add(
        `--head is ${JSON.stringify(text)}; give the chain hash that \`seriatim status\` prints, as in ${example}`,
      );
    } else heads.set(Number(partition), bytesOf(hash));
  }
  return heads;
}

/** Half a byte at the end says nothing. */
function bytesOf(hex: string): Digest {
  return Buffer.from(hex.slice(0, hex.length - (hex.length % 2)), "hex").toString("latin1") as Digest;
}
