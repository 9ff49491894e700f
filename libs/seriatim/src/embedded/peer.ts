import type { Socket } from "node:net";
import type { Appended } from "@seriatim/client";
import type { Failure } from "@seriatim/protocol";
import type { Append } from "./append.ts";
import type { Committer } from "./committer.ts";
import { Source } from "./fair-queue.ts";
import {
  concernsAll,
  durableFrame,
  failedFrame,
  frame,
  frameAllowance,
  frameKinds,
  FrameReader,
  helloFrame,
  isOurHello,
  type FrameKind,
  type Identity,
} from "./frames.ts";

/** How long a connection may take to say hello, in ms. */
const helloPatience = 5_000;

/** So many records of one follower wait at most; the rest stays in the socket. */
const mostWaiting = 256;

/** What a follower may leave unread before it is given up, in bytes. */
const mostUnread = 1024 * 1024;

export interface PeerOptions {
  readonly identity: Identity;
  readonly committer: Committer;
  /** The most that a record may have, in bytes. */
  readonly recordBytes: number;
  readonly onWatching: () => void;
  readonly onEnd: () => void;
}

/** A follower as its holder sees it: it brings records, and is told what became of them. */
export class Peer {
  readonly #socket: Socket;
  readonly #options: PeerOptions;
  readonly #source = new Source<Append>();
  readonly #reader: FrameReader;
  readonly #timer: NodeJS.Timeout;
  #hasGreeted = false;
  #isWatching = false;
  #hasNews = false;
  /** Appends found durable since the last write. */
  #durable: (Appended | undefined)[] = [];
  #frames: Buffer[] = [];
  #isFlushing = false;

  constructor(socket: Socket, options: PeerOptions) {
    this.#socket = socket;
    this.#options = options;
    this.#reader = new FrameReader(options.recordBytes + frameAllowance);
    this.#timer = setTimeout(() => this.end(), helloPatience).unref();
    socket.unref();
    socket.on("data", (chunk: Buffer) => {
      if (!this.#reader.push(chunk, (kind, body) => this.#take(kind, body))) this.end();
    });
    socket.on("error", () => this.end());
    socket.on("close", () => this.#ended());
    // Also to one that greets wrongly, so that it learns who is here.
    socket.write(helloFrame(options.identity));
  }

  /** Whether it wants to be told of new verdicts. */
  get isWatching(): boolean {
    return this.#isWatching;
  }

  /** There are new verdicts. */
  tell(): void {
    if (!this.#isWatching) return;
    this.#hasNews = true;
    this.#flushSoon();
  }

  end(): void {
    this.#socket.destroy();
  }

  #ended(): void {
    clearTimeout(this.#timer);
    // It has seen the end of the connection and commits these itself.
    this.#options.committer.drop(this.#source);
    this.#options.onEnd();
  }

  #take(kind: FrameKind, body: Buffer): boolean {
    if (!this.#hasGreeted) return this.#greet(kind, body);
    if (kind === frameKinds.append) this.#append(body);
    else if (kind === frameKinds.watch) this.#watch(body[0] === 1);
    else return false;
    return true;
  }

  #greet(kind: FrameKind, body: Buffer): boolean {
    this.#hasGreeted = kind === frameKinds.hello && isOurHello(body, this.#options.identity);
    if (this.#hasGreeted) clearTimeout(this.#timer);
    return this.#hasGreeted;
  }

  #watch(isWatching: boolean): void {
    this.#isWatching = isWatching;
    this.#options.onWatching();
  }

  #append(record: Uint8Array): void {
    const append: Append = {
      record,
      isSettled: false,
      durable: (appended) => {
        this.#durable.push(appended);
        this.#flushSoon();
        this.#readOn();
      },
      failed: (error) => {
        if (!concernsAll(error)) return this.end();
        this.#fail(error);
        this.#readOn();
      },
    };
    this.#options.committer.add(append, this.#source);
    if (this.#source.waiting.length >= mostWaiting) this.#socket.pause();
  }

  #readOn(): void {
    if (this.#socket.isPaused() && this.#source.waiting.length < mostWaiting / 2) this.#socket.resume();
  }

  #fail(failure: Failure): void {
    this.#pushDurable();
    this.#frames.push(failedFrame(1, failure));
    this.#flushSoon();
  }

  #pushDurable(): void {
    if (this.#durable.length === 0) return;
    this.#frames.push(durableFrame(this.#durable));
    this.#durable = [];
    this.#hasNews = false;
  }

  /** One write for all that a transaction has settled: `nextTick` comes after the promises that it settles. */
  #flushSoon(): void {
    if (this.#isFlushing) return;
    this.#isFlushing = true;
    process.nextTick(() => {
      this.#isFlushing = false;
      this.#pushDurable();
      if (this.#hasNews) this.#frames.push(frame(frameKinds.news));
      this.#hasNews = false;
      const [first, ...more] = this.#frames;
      this.#frames = [];
      if (first === undefined || this.#socket.destroyed) return;
      this.#socket.write(more.length === 0 ? first : Buffer.concat([first, ...more]));
      if (this.#socket.writableLength > mostUnread) this.end();
    });
  }
}
