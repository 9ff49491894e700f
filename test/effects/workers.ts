import { defineHandlers, type HandlerDefinition } from "@seriatim/effects";
import { EffectsWorker, type WorkerOptions } from "@seriatim/effects-worker";
import { SqliteFile } from "@seriatim/log";
import { sha256 } from "@seriatim/protocol";
import { onTestFinished } from "vitest";
import type { Participant } from "../support/spaces.ts";
import { temporaryFile } from "../support/temporary.ts";

export interface Started {
  readonly worker: EffectsWorker;
  /** Resolves when it was stopped, rejects when it stopped by itself. */
  readonly running: Promise<void>;
  stop(): Promise<void>;
}

type Options = Partial<WorkerOptions> & {
  /** Where it keeps what it has read; a new file unless given. */
  readonly path?: string;
};

/** Starts a worker on a space's logs; it stops with the test. */
export async function startWorker(
  space: Participant["space"],
  handlers: Readonly<Record<string, HandlerDefinition>>,
  options: Options = {},
): Promise<Started> {
  const { path = temporaryFile("effects.db"), ...others } = options;
  const file = SqliteFile.open(path, { synchronous: "normal" });
  const { verdicts, effects, codec } = space;
  const append = (partition: number, record: Uint8Array): Promise<unknown> => space.append(partition, record);
  const parts = { verdicts, effects, append, codec, file, hash: sha256, handlers: defineHandlers(handlers), ...others };
  const worker = await EffectsWorker.open(parts).catch((error: unknown) => {
    file.close();
    throw error;
  });
  const stopping = new AbortController();
  const running = worker.run(stopping.signal);
  running.catch(() => undefined);
  const stop = async (): Promise<void> => {
    stopping.abort();
    await running.catch(() => undefined);
    file.close();
  };
  onTestFinished(stop);
  return { worker, running, stop };
}

/** A promise, and what settles it. */
export class Settable<T = void> {
  readonly promise: Promise<T>;
  #settle!: (value: T) => void;

  constructor() {
    this.promise = new Promise((resolve) => (this.#settle = resolve));
  }

  resolve(value: T): void {
    this.#settle(value);
  }
}
