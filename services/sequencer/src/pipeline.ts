import type { LogRecord, NewRecord } from "@seriatim/log";
import {
  assert,
  beforeGenesis,
  Defect,
  Failure,
  linkOf,
  type Hash,
  type Link,
  type Offset,
  type Position,
  type Verdict,
} from "@seriatim/protocol";
import { decide, evolve, type Decision, type MemoryState, type Rules } from "./core/index.ts";
import { Queue } from "./queue.ts";

export interface PipelineOptions {
  readonly rules: Rules;
  readonly partition: number;
  /** At the position of the view. */
  readonly state: MemoryState;
  readonly hash: Hash;
  /**
   * Names this sequencer in the headers of what it sends, on the first record of each append: a diagnostic, by which it
   * also knows its own records.
   */
  readonly name: string;
  /** Default `shared`. */
  readonly role?: Role;
}

/**
 * What a sequencer is to a partition. It saves work and decides nothing (invariant 4).
 *
 * - `shared`: nobody has shared the partitions out. Whoever's verdict was applied last leads.
 * - `assigned`: it leads, and goes on leading.
 * - `standby`: it follows, and leads only from a stall until it reads anything of another.
 */
export type Role = "shared" | "assigned" | "standby";

type Headers = LogRecord["headers"];

/** A verdict that was decided and not read back, and what its intent's trace is told by: a diagnostic. */
interface Pending {
  readonly decision: Decision;
  readonly trace: Headers;
  /** What it keeps in memory, in bytes: the values that it writes are parts of its intents record. */
  readonly weight: number;
}

/**
 * What one sequencer knows of one partition: what it decided, what of that it sent, and what was read back. Performs
 * no I/O; the driver does.
 *
 *     read back ── sent, not read back ── decided, not sent ── to be decided
 *
 * Invariants:
 *  3  What was sent and is not read back is kept until it is; `sendAgain` sends all of it from the head on.
 *  4  A sequencer leads (sends) or follows (decides, and keeps what it decided). Where partitions are not shared out,
 *     the one whose verdict was applied last leads: all read the same log, so that two that began to send at once agree
 *     which of them goes on. When the head stalls, whoever notices leads. A verdict read back that differs from its own
 *     is a defect: it stops before it sends another.
 *  9  It never mixes two histories. Where a verdict names another digest than its intents record has, the intents log
 *     is not the one that was decided: seen at the latest where it goes on from a verdict that it has only read.
 */
export class Pipeline {
  readonly #options: PipelineOptions;
  readonly #pending = new Queue<Pending>();
  #sent = 0;
  #pendingBytes = 0;
  #isLeading = false;
  #role: Role;
  #head: Position;
  /** The last verdict that was read back before its record, until it is known that the record is the one it names. */
  #followed: Pick<Verdict, "offset" | "digest"> | undefined;

  constructor(options: PipelineOptions) {
    this.#options = options;
    this.#head = options.state.head.position;
    this.#role = options.role ?? "shared";
  }

  get role(): Role {
    return this.#role;
  }

  /** One that is no longer assigned leads until it reads the next one's verdicts: nobody waits for a handover. */
  assume(role: Role): void {
    this.#role = role;
    if (role === "assigned") this.sendAgain();
  }

  get isLeading(): boolean {
    return this.#isLeading;
  }

  /** The verdict read back last. */
  get head(): Position {
    return this.#head;
  }

  /** The offset of the intents record decided last, by this sequencer or another. */
  get decided(): Offset {
    return this.#options.state.head.position.offset;
  }

  /** How many verdicts are decided and not read back, and what they keep in memory, in bytes. */
  get pending(): { readonly count: number; readonly bytes: number; readonly sent: number } {
    return { count: this.#pending.length, bytes: this.#pendingBytes, sent: this.#sent };
  }

  /**
   * Decides records of the intents log, in its order; those decided already are passed over.
   * @returns what was decided now.
   * @throws Failure `log_changed` when the record decided last by another is not there.
   */
  take(records: readonly LogRecord[]): readonly Decision[] {
    const { rules, partition, state, hash } = this.#options;
    const decisions: Decision[] = [];
    for (const { offset, time, value, headers } of records) {
      if (this.#followed !== undefined && offset >= this.#followed.offset) this.#verify(this.#followed, offset, value);
      if (offset <= this.decided) continue;
      const record = { offset, appendTime: time, bytes: value, digest: hash(value) };
      const decision = decide(rules, partition, state.head, state, record);
      evolve(state, decision.verdict);
      const weight = value.length + decision.bytes.length;
      this.#pending.push({ decision, trace: traceOf(headers), weight });
      this.#pendingBytes += weight;
      decisions.push(decision);
    }
    return decisions;
  }

  /** Log time at the oldest record that was decided and whose verdict was not read back. */
  get pendingSince(): number | undefined {
    return this.#pending.first?.decision.verdict.time;
  }

  /** The verdict that these bytes of the verdicts log are, where it is the one to be read back next: the usual case. */
  recognise(bytes: Uint8Array): Verdict | undefined {
    const own = this.#pending.first?.decision;
    return own !== undefined && Buffer.compare(own.bytes, bytes) === 0 ? own.verdict : undefined;
  }

  /**
   * Takes note of one record of the verdicts log, in its order.
   * @throws Defect when the verdict follows the head and differs from the one decided here; Failure `log_changed` when
   *   it answers another record than the one that was decided here.
   */
  readBack(verdict: Verdict, sender: string | undefined): Link {
    const { rules, partition } = this.#options;
    // As for every reader: what another space's sequencer wrote here by mistake is no verdict.
    if (verdict.space !== rules.genesis.space || verdict.partition !== partition) return "gap";
    const link = linkOf(this.#head, verdict);
    this.#yield(link, sender === this.#options.name);
    if (link !== "next") return link;
    const own = this.#pending.first;
    if (own === undefined) this.#follow(verdict);
    else this.#settle(own, verdict);
    this.#head = { offset: verdict.offset, chain: verdict.chain };
    return link;
  }

  /** Leads or follows from here on, by who sent what was read back. */
  #yield(link: Link, isOwn: boolean): void {
    switch (this.#role) {
      case "shared":
        if (link === "next") this.#isLeading = isOwn;
        return;
      case "standby":
        if (!isOwn) this.#isLeading = false;
        return;
      case "assigned":
    }
  }

  /** The next verdicts to send, up to a bound, if this sequencer leads; they count as sent from now on. */
  toSend(limit: { readonly count: number; readonly bytes: number }): NewRecord[] {
    if (!this.#isLeading) return [];
    const batch: NewRecord[] = [];
    let bytes = 0;
    for (const { decision, trace } of this.#pending.slice(this.#sent, this.#sent + limit.count)) {
      const { bytes: value } = decision;
      bytes += value.length;
      if (batch.length > 0 && bytes > limit.bytes) break;
      const headers = batch.length > 0 ? trace : { ...trace, sequencer: this.#options.name };
      batch.push({ value, headers });
    }
    this.#sent += batch.length;
    return batch;
  }

  /** Leads, and sends everything that is not read back once more. Readers drop what they get twice. */
  sendAgain(): void {
    this.#isLeading = true;
    this.#sent = 0;
  }

  #follow(verdict: Verdict): void {
    evolve(this.#options.state, verdict);
    const { offset, digest } = verdict;
    this.#followed = { offset, digest };
  }

  /** Offsets ascend: whatever comes at or after the followed verdict's offset first is its record, or it has none. */
  #verify(followed: Pick<Verdict, "offset" | "digest">, offset: Offset, value: Uint8Array): void {
    const digest = offset === followed.offset ? this.#options.hash(value) : undefined;
    if (digest !== followed.digest) throw this.#changed(followed.offset);
    this.#followed = undefined;
  }

  #settle({ decision: own, weight }: Pending, verdict: Verdict): void {
    if (isOfAnotherRecord(own.verdict, verdict)) throw this.#changed(verdict.offset);
    if (own.verdict.chain !== verdict.chain) throw this.#divergence(own.verdict, verdict);
    this.#pending.shift();
    this.#pendingBytes -= weight;
    this.#sent = Math.max(0, this.#sent - 1);
    assert(this.#pendingBytes >= 0, "more verdicts were read back than were decided");
  }

  #changed(offset: Offset): Failure {
    const { partition } = this.#options;
    return new Failure(
      "log_changed",
      `partition ${partition} of the intents log does not hold, at offset ${offset}, the record that its verdict names: ` +
        "it was truncated, recreated or replaced; see what happened to it, then read anew",
    );
  }

  #divergence(own: Verdict, applied: Verdict): Defect {
    const { partition } = this.#options;
    return new Defect(
      `this sequencer diverged in partition ${partition}: for the intents record at offset ${applied.offset} it decided ` +
        `"${describe(own)}" and the log holds "${describe(applied)}"; it stops, and what the log holds stands`,
    );
  }
}

const noTrace: Headers = {};

/** What a trace's context is told by: it follows an intent to its verdict, and from there to its effects. */
function traceOf({ traceparent, tracestate }: Headers): Headers {
  if (traceparent === undefined && tracestate === undefined) return noTrace;
  return { ...(traceparent === undefined ? {} : { traceparent }), ...(tracestate === undefined ? {} : { tracestate }) };
}

/** A first verdict depends on its record alone: where it differs, the log took that record at another time. */
function isOfAnotherRecord(own: Verdict, { offset, digest, chain }: Verdict): boolean {
  const isFirst = own.predecessor.offset === beforeGenesis.offset;
  return own.offset !== offset || own.digest !== digest || (isFirst && own.chain !== chain);
}

function describe({ offset, outcome }: Verdict): string {
  return `${outcome.kind}${outcome.kind === "refused" ? ` ${outcome.code}` : ""} at ${offset}`;
}
