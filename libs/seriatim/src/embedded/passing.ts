import type { SqliteFile } from "@seriatim/log";
import { isFailure } from "@seriatim/protocol";

/** How long until the next try, in ms, at least and more by chance. */
const pause = { base: 5, jitter: 10 };

/** How long to try, in ms. */
const deadline = 30_000;

/**
 * A transaction that passes a holder which does not answer. Where the lock is held, something goes on: it is not fought
 * for, and the answer may come meanwhile.
 * @param isNeeded whether it has not.
 * @throws what `SqliteFile.transaction` throws.
 */
export async function passingTransaction<T>(
  file: SqliteFile,
  work: () => T,
  isNeeded: () => boolean,
): Promise<T | undefined> {
  for (const end = performance.now() + deadline; isNeeded();) {
    let hasBegun = false;
    try {
      return await file.transaction(
        () => {
          hasBegun = true;
          return work();
        },
        { deadline: 1 },
      );
    } catch (error) {
      if (hasBegun || !isFailure(error, "unavailable") || performance.now() > end) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, pause.base + Math.random() * pause.jitter));
  }
  return undefined;
}
