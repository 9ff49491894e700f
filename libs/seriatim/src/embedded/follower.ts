import { createConnection, type Socket } from "node:net";
import type { OwnAppend } from "./append.ts";
import { isCode } from "./codes.ts";
import {
  appendedOf,
  countOf,
  failureOf,
  frame,
  frameAllowance,
  frameKinds,
  FrameReader,
  frames,
  helloFrame,
  isOurHello,
  type FrameKind,
  type Identity,
} from "./frames.ts";

/**
 * How long the holder may say nothing to who waits for it before that commits directly, in ms; on a busy machine more,
 * by what answers have taken lately: many that pass a holder which is only slow make it slower.
 */
const patience = { least: 100, most: 1_000, answers: 4 };

/** How long until the holder is taken to be gone, in ms; twice the patience where that is more. */
const lastPatience = 1_000;

/** Why there is no connection: nobody listens; somebody says nothing; somebody else is there; it is not permitted, or another user's. */
export type Absence = "nobody" | "silent" | "other" | "barred";

export interface FollowerOptions {
  readonly path: string;
  readonly identity: Identity;
  /** There may be new verdicts. */
  readonly onNews: () => void;
  /** The holder does not answer for these, for now or at all: they may or may not stand in the log. */
  readonly onUnanswered: (appends: readonly OwnAppend[]) => void;
}

/** A connection to the holder. */
export class Follower {
  /** Resolves when the connection has ended, with why no other should be tried at once. */
  readonly ended: Promise<Absence>;
  readonly #options: FollowerOptions;
  readonly #socket: Socket;
  readonly #reader = new FrameReader(frameAllowance);
  /** Sent and not answered, in order; the first few may have been given to the direct way as well. */
  #sent: OwnAppend[] = [];
  /** How many of the last of these are still to be written. */
  #unwritten = 0;
  #timer: NodeJS.Timeout | undefined;
  /** Whether the timer will look after those that wait. It is not stopped when they are answered, and finds nobody. */
  #isWaitedOn = false;
  #heardAt = performance.now();
  /** When the first of those that wait was sent, or the one before it answered. */
  #waitingSince = performance.now();
  /** What an answer takes, in ms, the latest counting most. */
  #answerTime = 0;
  #isGreeted = false;
  #isStalled = false;
  #isConnected = false;
  #absence: Absence = "nobody";
  #onGreeted: () => void = () => undefined;
  readonly #greeted: Promise<void>;

  private constructor(options: FollowerOptions) {
    this.#options = options;
    this.#socket = createConnection({ path: options.path });
    this.#socket.unref();
    this.#greeted = new Promise((resolve) => (this.#onGreeted = resolve));
    this.ended = new Promise((resolve) => {
      this.#socket.on("close", () => {
        clearTimeout(this.#timer);
        this.#giveUp(this.#sent);
        this.#sent = [];
        // Whoever ends a connection without a word is there, and does not want us.
        if (this.#isConnected && !this.#isGreeted && this.#absence === "nobody") this.#absence = "other";
        resolve(this.#absence);
      });
    });
    this.#socket.on("connect", () => (this.#isConnected = true));
    this.#socket.on("error", (error) => {
      if (!isCode(error, "ENOENT", "ECONNREFUSED", "ECONNRESET", "EPIPE")) this.#absence = "barred";
    });
    this.#socket.on("data", (chunk: Buffer) => {
      this.#heard();
      if (!this.#reader.push(chunk, (kind, body) => this.#take(kind, body))) this.#end("other");
    });
  }

  static async connect(options: FollowerOptions): Promise<Follower | Absence> {
    const follower = new Follower(options);
    follower.#socket.write(helloFrame(options.identity));
    follower.#timer = setTimeout(() => follower.#end("silent"), lastPatience).unref();
    const absence = await Promise.race([follower.#greeted, follower.ended]);
    clearTimeout(follower.#timer);
    return absence ?? follower;
  }

  /** Whether the holder can be expected to answer soon. */
  get isAnswering(): boolean {
    return !this.#isStalled && !this.#socket.destroyed;
  }

  append(append: OwnAppend): void {
    append.isWithHolder = true;
    this.#sent.push(append);
    // One write for all that comes in the same turn.
    if (this.#unwritten === 0) process.nextTick(() => this.#write());
    this.#unwritten += 1;
    if (this.#sent.length > 1) return;
    this.#heardAt = performance.now();
    this.#waitingSince = this.#heardAt;
    if (this.#isWaitedOn) this.#timer?.ref();
    else this.#waitOn(this.#patience);
  }

  #write(): void {
    const records = this.#sent.slice(this.#sent.length - this.#unwritten).map(({ record }) => record);
    this.#unwritten = 0;
    if (!this.#socket.destroyed) this.#socket.write(frames(frameKinds.append, records));
  }

  watch(isWatching: boolean): void {
    if (!this.#socket.destroyed) this.#socket.write(frame(frameKinds.watch, Buffer.from([isWatching ? 1 : 0])));
  }

  end(): void {
    this.#end("nobody");
  }

  #end(absence: Absence): void {
    this.#absence = absence;
    this.#socket.destroy();
  }

  #take(kind: FrameKind, body: Buffer): boolean {
    if (!this.#isGreeted) {
      this.#isGreeted = kind === frameKinds.hello && isOurHello(body, this.#options.identity);
      if (this.#isGreeted) this.#onGreeted();
      return this.#isGreeted;
    }
    if (kind === frameKinds.news) this.#options.onNews();
    else if (kind === frameKinds.durable) return this.#durable(body);
    else if (kind === frameKinds.failed) return this.#fail(body);
    else return false;
    return true;
  }

  #durable(body: Buffer): boolean {
    const appended = appendedOf(body);
    return this.#settle(appended?.length, (append, index) => append.durable(appended?.[index]));
  }

  #fail(body: Buffer): boolean {
    const failure = failureOf(body);
    if (failure === undefined) return false;
    return this.#settle(countOf(body), (append) => {
      append.isWithHolder = false;
      // Otherwise the direct way is under way, and its answer is the better one.
      if (!append.isDirect) append.failed(failure);
    });
  }

  #settle(count: number | undefined, how: (append: OwnAppend, index: number) => void): boolean {
    if (count === undefined || count > this.#sent.length - this.#unwritten) return false;
    this.#answerTime += (this.#heardAt - this.#waitingSince - this.#answerTime) / 4;
    this.#waitingSince = this.#heardAt;
    for (const [index, append] of this.#sent.splice(0, count).entries()) how(append, index);
    if (this.#sent.length === 0) this.#timer?.unref();
    this.#options.onNews();
    return true;
  }

  #heard(): void {
    this.#heardAt = performance.now();
    this.#isStalled = false;
  }

  /** Looks after `ms` whether the holder has been silent too long. Keeps the process alive, as an append does. */
  #waitOn(ms: number): void {
    clearTimeout(this.#timer);
    this.#isWaitedOn = true;
    // Where this process itself was busy, what the holder has said meanwhile is read first.
    this.#timer = setTimeout(() => setImmediate(() => this.#look()), ms);
  }

  #look(): void {
    this.#isWaitedOn = false;
    if (this.#sent.length === 0 || this.#socket.destroyed) return;
    const silence = performance.now() - this.#heardAt;
    const last = Math.max(this.#patience * 2, lastPatience);
    if (silence >= last) return this.#end("silent");
    if (silence < this.#patience) return this.#waitOn(this.#patience - silence);
    this.#isStalled = true;
    this.#giveUp(this.#sent);
    this.#waitOn(last - silence);
    this.#timer?.unref();
  }

  get #patience(): number {
    return Math.min(patience.most, Math.max(patience.least, this.#answerTime * patience.answers));
  }

  #giveUp(appends: readonly OwnAppend[]): void {
    const open = appends.filter(({ isSettled, isDirect }) => !isSettled && !isDirect);
    for (const append of open) append.isDirect = true;
    if (open.length > 0) this.#options.onUnanswered(open);
  }
}
