import type { Handlers } from "@seriatim/effects";
import { EffectsWorker, type HandlerAlarm } from "@seriatim/effects-worker";
import { Failure, sha256 } from "@seriatim/protocol";
import type { EmbeddedSpace } from "../embedded-space.ts";

export interface EmbeddedWorkerOptions {
  /**
   * Handlers of effects, by `defineHandlers`. With them this process calls what was deferred, in turn with every other
   * that has the file open with handlers; without them it leaves that to others.
   */
  readonly handlers?: Handlers | undefined;
  /** Called when an effect is next whose handler this process does not know. Default: a warning of the process. */
  readonly onUnknownHandler?: ((alarm: HandlerAlarm) => void) | undefined;
  /** Called when calling effects has ended for good, though the space is open. Default: a warning of the process. */
  readonly onWorkerEnd?: ((error: Error) => void) | undefined;
}

/**
 * Calls effects in this process for as long as the space is open. Closing it waits for the calls under way.
 * @throws Failure `invalid_argument` when the file was opened for reading only; `log_changed`, `unreadable`.
 */
export async function startEmbeddedWorker(
  space: EmbeddedSpace,
  handlers: Handlers,
  { onUnknownHandler = warnOfHandler, onWorkerEnd = warnOfEnd }: EmbeddedWorkerOptions,
): Promise<void> {
  const { verdicts, effects, codec, file } = space;
  if (file.isReadonly)
    throw new Failure(
      "invalid_argument",
      `${file.path} is open for reading only, and handlers need to write: leave one`,
    );
  const append = (partition: number, record: Uint8Array): Promise<unknown> => space.append(partition, record);
  const parts = { verdicts, effects, append, codec, file, hash: sha256 };
  const worker = await EffectsWorker.open({ ...parts, handlers, onUnknownHandler });
  const stop = new AbortController();
  const running = worker.run(stop.signal).catch((error: unknown) => {
    if (!stop.signal.aborted) onWorkerEnd(error instanceof Error ? error : new Error(String(error)));
  });
  space.beforeClose(async () => {
    stop.abort();
    await running;
  });
}

function warnOfHandler({ handler, count }: HandlerAlarm): void {
  process.emitWarning(`${count} effects wait for the handler ${JSON.stringify(handler)}, which is not defined here`, {
    type: "SeriatimWarning",
    code: "SERIATIM_UNKNOWN_HANDLER",
  });
}

function warnOfEnd(error: Error): void {
  process.emitWarning(`effects are called no longer: ${error.message}`, {
    type: "SeriatimWarning",
    code: "SERIATIM_WORKER_ENDED",
  });
}
