import type { WorkerOptions } from "@seriatim/effects-worker";
import { SqliteFile } from "@seriatim/log";
import { sha256 } from "@seriatim/protocol";
import { openFile } from "../cli/open-space.ts";
import type { Place } from "../cli/place.ts";
import { KafkaLogs } from "../kafka-logs.ts";

/** The space's logs, and the file that keeps what was folded of its effects. */
export type EffectsParts = Pick<WorkerOptions, "verdicts" | "effects" | "append" | "codec" | "hash" | "file">;

/** The file of a space on Kafka: of the same space's workers on one machine, any of them keeps it. */
export function effectsFileOf(place: Extract<Place, { readonly kind: "kafka" }>, path: string | undefined): string {
  return path ?? `${place.space}.effects.db`;
}

/**
 * Opens what a worker, or whoever looks at effects, needs of a space, and closes it after `work`.
 * @param path the file for a space on Kafka; an embedded space keeps it in its own.
 */
export async function withEffects<T>(
  place: Place,
  path: string | undefined,
  work: (parts: EffectsParts) => Promise<T>,
): Promise<T> {
  if (place.kind === "file") {
    const space = await openFile(place.path, { writes: true });
    try {
      const { verdicts, effects, codec, file } = space;
      const append: EffectsParts["append"] = (partition, record) => space.append(partition, record);
      return await work({ verdicts, effects, append, codec, file, hash: sha256 });
    } finally {
      await space.close();
    }
  }
  const logs = await KafkaLogs.open(place);
  try {
    const { intents, verdicts, effects, codec } = logs;
    const append: EffectsParts["append"] = async (partition, value) => {
      await intents.append(partition, [{ value }]);
    };
    const file = SqliteFile.open(effectsFileOf(place, path), { synchronous: "normal" });
    try {
      return await work({ verdicts, effects, append, codec, file, hash: sha256 });
    } finally {
      file.close();
    }
  } finally {
    await logs.close();
  }
}
