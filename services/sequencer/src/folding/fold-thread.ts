import { Worker } from "node:worker_threads";
import { encodeGenesis, type Genesis } from "@seriatim/protocol";
import type { Folding, ReadBack } from "./folding.ts";
import { errorOf, type Order, type Report, type Setup } from "./messages.ts";
import { pack, transferred } from "./packed-records.ts";

/** The most that is taken and not folded: what the thread's slowness may cost in memory. */
const mostWaiting = { records: 16_384, bytes: 32 * 1024 * 1024 };

const usualPatience = 2_000;

/** Also where this file is run from its sources: a thread of Node 20 runs no TypeScript. */
const compiled = new URL("../../dist/folding/worker.js", import.meta.url);

export interface FoldThreadOptions {
  /** Of the file that the view is in: it must be there, and the view's tables in it. */
  readonly path: string;
  readonly genesis: Genesis;
  /** How long, in ms, the last folds may take when it is closed: what they leave undone is read again. Default 2,000. */
  readonly patience?: number;
  /** For tests: the program of the thread. */
  readonly program?: URL;
}

/**
 * Folds in a thread of its own, which writes to the view by a connection of its own: whoever decides need not wait for
 * the fold, nor for the file's lock. To be closed by whoever made it.
 */
export class FoldThread implements Folding {
  readonly #worker: Worker;
  readonly #exited: Promise<void>;
  readonly #patience: number;
  readonly #waiters = new Set<() => void>();
  #waiting = { records: 0, bytes: 0 };
  #fault: { readonly error: unknown } | undefined;
  #isClosing = false;

  constructor({ path, genesis, patience = usualPatience, program = compiled }: FoldThreadOptions) {
    this.#patience = patience;
    const setup: Setup = { path, genesis: encodeGenesis(genesis) };
    // Conditions and imports that this process was started with are not meant for it.
    this.#worker = new Worker(program, { workerData: setup, name: "fold", execArgv: [] });
    this.#worker.on("message", (report: Report) => this.#hear(report));
    this.#worker.on("error", (error) => this.#fail(error));
    this.#exited = new Promise((resolve) => {
      this.#worker.once("exit", (code) => {
        if (!this.#isClosing) this.#fail(new Error(`the thread that folds into ${path} ended by itself (${code})`));
        resolve();
      });
    });
  }

  /** How much was taken and is not folded. */
  get waiting(): { readonly records: number; readonly bytes: number } {
    return this.#waiting;
  }

  async take(partition: number, records: readonly ReadBack[], signal: AbortSignal): Promise<void> {
    this.#check();
    const packed = pack(partition, records);
    const { values } = packed;
    this.#waiting = { records: this.#waiting.records + records.length, bytes: this.#waiting.bytes + values.length };
    this.#order({ kind: "fold", records: packed }, transferred(packed));
    await this.#until(() => !isFull(this.#waiting), signal);
  }

  async settled(signal?: AbortSignal): Promise<void> {
    await this.#until(() => this.#waiting.records === 0, signal);
  }

  async watch(signal: AbortSignal): Promise<void> {
    await this.#until(() => false, signal);
  }

  /** Folds what was taken, unless that takes long, and ends the thread. Never rejects; may be called again. */
  async close(): Promise<void> {
    this.#isClosing = true;
    this.#order({ kind: "end" });
    const late = setTimeout(() => void this.#worker.terminate(), this.#patience);
    await this.#exited;
    clearTimeout(late);
    this.#tell();
  }

  #order(order: Order, transfer: ArrayBuffer[] = []): void {
    this.#worker.postMessage(order, transfer);
  }

  #hear(report: Report): void {
    if (report.kind === "failed") return this.#fail(errorOf(report.fault));
    const { records, bytes } = this.#waiting;
    this.#waiting = { records: records - report.records, bytes: bytes - report.bytes };
    this.#tell();
  }

  #fail(error: unknown): void {
    this.#fault ??= { error };
    this.#tell();
  }

  #check(): void {
    if (this.#fault !== undefined) throw this.#fault.error;
  }

  /** Looks again after each news. */
  async #until(isReached: () => boolean, signal: AbortSignal | undefined): Promise<void> {
    for (;;) {
      if (signal?.aborted === true) return;
      this.#check();
      if (isReached() || this.#isClosing) return;
      await this.#news(signal);
    }
  }

  #news(signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve) => {
      const wake = (): void => {
        this.#waiters.delete(wake);
        signal?.removeEventListener("abort", wake);
        resolve();
      };
      this.#waiters.add(wake);
      signal?.addEventListener("abort", wake);
    });
  }

  #tell(): void {
    for (const wake of this.#waiters) wake();
  }
}

function isFull({ records, bytes }: { readonly records: number; readonly bytes: number }): boolean {
  return records >= mostWaiting.records || bytes >= mostWaiting.bytes;
}
