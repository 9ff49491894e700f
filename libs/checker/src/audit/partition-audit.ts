import {
  beforeGenesis,
  encodeGenesis,
  type Digest,
  type Offset,
  type Outcome,
  type Position,
  type RecordCodec,
  type Verdict,
} from "@seriatim/protocol";
import type { DecidedItem, IntentItem, Item, VerdictItem } from "../space/items.ts";
import { Chain } from "./chain.ts";
import { ClaimedIds } from "./claims.ts";
import type { DecidedRecord } from "./decided.ts";
import { draftOf, isIntent } from "./draft.ts";
import { idFault } from "./ids.ts";
import type { ObjectionName, Objections } from "./objections.ts";
import { outcomeFaults } from "./outcomes.ts";
import { PendingIntents } from "./pending.ts";
import { StandingHolds } from "./standing-holds.ts";

export interface PartitionAuditOptions {
  readonly partition: number;
  readonly codec: RecordCodec;
  readonly hasIntents: boolean;
  /** The offset from which the logs are read: 0 from their genesis on. */
  readonly start: Offset;
  /** A chain hash, or its beginning, that one of the verdicts must have. */
  readonly head: Digest | undefined;
  readonly objections: Objections;
  /** Whether the lines of an export are taken at their word, without a look at their chain hashes. */
  readonly trustsExports: boolean;
  /** Whether the space's genesis is known: then every line of an export must have its chain hash. */
  readonly hasGenesis: boolean;
  /** Gets each record once its verdict is known, in order of offset. */
  readonly onDecided: (record: DecidedRecord) => void;
}

export interface AuditCounts {
  /** Intents records. */
  records: number;
  /** Verdicts that were the next of their chain. */
  verdicts: number;
  /** Verdicts said again, to the byte. */
  repeats: number;
  /** Verdicts that stood before others that they follow, and were sent again later. */
  early: number;
  /** Intents records that have no verdict yet. */
  undecided: number;
  /** Records that come with an outcome and without a chain hash: of a history that no sequencer made. */
  unchained: number;
}

/**
 * Holds one partition's verdicts against its intents, in the order in which a reader meets them. Tells of everything
 * that does not agree, and goes on as far as anything can be said.
 */
export class PartitionAudit {
  readonly counts: AuditCounts = { records: 0, verdicts: 0, repeats: 0, early: 0, undecided: 0, unchained: 0 };
  readonly #options: PartitionAuditOptions;
  readonly #chain: Chain;
  readonly #claims: ClaimedIds;
  readonly #holds: StandingHolds;
  readonly #pending = new PendingIntents();
  #lastIntent: Offset = -1;
  /** Log time; undefined in the midst of a log, before its first verdict. */
  #time: number | undefined;
  /** The first verdict of those that stand before one that they follow. */
  #early: Verdict | undefined;
  #isHeadSeen = false;

  constructor(options: PartitionAuditOptions) {
    this.#options = options;
    this.#chain = new Chain(options.start);
    this.#time = options.start === 0 ? 0 : undefined;
    this.#claims = new ClaimedIds(options.codec.genesis.limits.window);
    this.#holds = new StandingHolds(options.codec.genesis.limits.window);
  }

  /** The first record without a verdict, after the last that has one; undefined when all are decided. */
  get undecidedFrom(): Offset | undefined {
    return this.#pending.first?.offset;
  }

  /** The last offset read; undefined when nothing was. */
  get last(): Offset | undefined {
    const last = Math.max(this.#lastIntent, this.#chain.position?.offset ?? -1);
    return last < 0 ? undefined : last;
  }

  /** The last verdict of the chain. */
  get head(): Position | undefined {
    return this.#chain.position;
  }

  take(item: Item): void {
    switch (item.kind) {
      case "intent":
        return this.#intent(item);
      case "verdict":
        return this.#verdict(item);
      case "decided":
        return this.#decided(item);
      case "effect":
        return undefined;
      case "broken":
        return this.#add("audit:record", item.offset, item.message);
    }
  }

  end(): void {
    const head = this.#chain.position?.offset ?? -1;
    if (this.#early !== undefined && this.#early.offset > head) {
      const next = this.#pending.first?.offset ?? this.#early.predecessor.offset;
      this.#add("audit:gap", next, `no verdict follows that of ${head}, though that of ${this.#early.offset} is there`);
    }
    this.counts.undecided = this.#pending.size;
    if (this.#options.head === undefined || this.#isHeadSeen) return;
    this.#add(
      "audit:head",
      head,
      `no verdict up to ${head} has the chain hash given: the end is missing, or it is another log`,
    );
  }

  #intent(item: IntentItem): void {
    if (this.isNext(item)) this.#pending.add(item);
  }

  /** Whether a record stands where it must; counts it. For those whose outcome is known without a verdict. */
  isNext(item: IntentItem): boolean {
    const { offset, record } = item;
    this.counts.records += 1;
    // Not before they are needed: of a line the bytes must first be encoded.
    const isFirst = this.#lastIntent < 0 && this.#options.start === 0;
    if (isFirst && record.kind === "genesis") this.#compareGenesis(item.bytes);
    const isNext = offset > this.#lastIntent;
    if (!isNext) this.#add("audit:order", offset, `the record at ${offset} stands after that at ${this.#lastIntent}`);
    this.#lastIntent = Math.max(offset, this.#lastIntent);
    return isNext;
  }

  /** Another one may have been found in the first partition, or be named by an export's header. */
  #compareGenesis(bytes: Uint8Array): void {
    if (Buffer.compare(encodeGenesis(this.#options.codec.genesis), bytes) === 0) return;
    this.#add("audit:record", this.#lastIntent + 1, "the genesis of this partition is not that of the space");
  }

  /** A record with its verdict, of which only the chain hash is given: it vouches for all the rest. */
  #decided({ intent, outcome, chain }: DecidedItem): void {
    if (!this.isNext(intent)) return;
    const { codec, trustsExports, hasGenesis } = this.#options;
    const { offset } = intent;
    if (chain === undefined || trustsExports) {
      this.#unchained(intent, outcome);
      if (chain === undefined && hasGenesis)
        this.#add("audit:chain", offset, `the verdict of ${offset} has no chain hash`);
      if (chain !== undefined) this.#chain.moveTo({ offset, chain });
      return;
    }
    this.#passOver(offset);
    const predecessor = this.#chain.position ?? beforeGenesis;
    const draft = draftOf(intent, outcome, { genesis: codec.genesis, predecessor, time: this.#time ?? 0 });
    const { chain: made } = codec.encodeVerdict(draft);
    if (made !== chain)
      this.#add("audit:chain", offset, `what stands at ${offset} is not what its chain hash was made of`);
    const verdict = { ...draft, chain };
    if (outcome.kind !== "committed") this.#compareOutcome(intent, verdict);
    this.#chain.moveTo(verdict);
    this.#accept(verdict, intent);
  }

  #unchained(intent: IntentItem, outcome: Outcome): void {
    const { partition, onDecided } = this.#options;
    const { offset, record } = intent;
    this.counts.unchained += 1;
    this.#time = Math.max(this.#time ?? 0, intent.time);
    const names = isIntent(record) ? record : { id: null, agent: null };
    onDecided({ partition, offset, time: this.#time, id: names.id, agent: names.agent, intent, outcome });
  }

  #verdict({ at, verdict }: VerdictItem): void {
    if (verdict === undefined) {
      const next = this.#pending.first?.offset ?? null;
      const what = "is no verdict, or not the one that its chain hash was made of";
      return this.#add("audit:chain", next, `record ${at} of the verdicts log ${what}`);
    }
    const { partition, offset, predecessor } = verdict;
    if (partition !== this.#options.partition) {
      const what = `is a verdict of partition ${partition} in partition ${this.#options.partition}`;
      return this.#add("audit:record", offset, `record ${at} of the verdicts log ${what}`);
    }
    switch (this.#chain.take(verdict)) {
      case "next":
        return this.#next(verdict);
      case "repeat":
      case "forgotten":
        this.counts.repeats += 1;
        return;
      case "early":
        this.counts.early += 1;
        this.#early ??= verdict;
        return;
      case "second": {
        const what = `offset ${offset} has a second verdict, another one, for ${nameOf(verdict)}`;
        return this.#add("audit:version", offset, `${what}: record ${at} of the verdicts log`);
      }
      case "fork": {
        const what = `the verdict of ${offset} follows another history`;
        return this.#add("audit:chain", offset, `${what}: its predecessor ${predecessor.offset} is not the one here`);
      }
    }
  }

  #next(verdict: Verdict): void {
    const intent = this.#intentOf(verdict.offset);
    if (intent !== undefined) this.#compare(intent, verdict);
    this.#accept(verdict, intent);
  }

  /** Takes over the next verdict, which was compared with its record. */
  #accept(verdict: Verdict, intent: IntentItem | undefined): void {
    const { partition, objections, head, start, onDecided } = this.#options;
    const { offset, predecessor, time, id, agent, outcome } = verdict;
    this.counts.verdicts += 1;
    if (head !== undefined && verdict.chain.startsWith(head)) this.#isHeadSeen = true;
    if (this.#early !== undefined && this.#early.offset <= offset) this.#early = undefined;
    if (offset <= predecessor.offset)
      this.#add("audit:version", offset, `the verdict of ${offset} names ${predecessor.offset} as its predecessor`);
    if (this.#time !== undefined && time < this.#time)
      this.#add("audit:time", offset, `log time steps back at ${offset}`);
    this.#time = Math.max(this.#time ?? 0, time);
    const fault = idFault(verdict, intent?.record, { claims: this.#claims, holds: this.#holds, start });
    if (fault !== undefined) objections.add("audit:id", partition, offset, fault);
    this.#claims.note(verdict);
    this.#holds.note(verdict);
    onDecided({ partition, offset, time, id, agent, intent, outcome });
  }

  /** The records below `offset` have no verdict, if one of `offset` comes. */
  #passOver(offset: Offset): void {
    for (const left of this.#pending.takeBelow(offset))
      this.#add("audit:gap", left, `the record at ${left} has no verdict, though that of ${offset} follows`);
  }

  /** The record that a verdict answers. */
  #intentOf(offset: Offset): IntentItem | undefined {
    if (!this.#options.hasIntents) return undefined;
    this.#passOver(offset);
    const intent = this.#pending.take(offset);
    if (intent === undefined)
      this.#add("audit:gap", offset, `the verdict of ${offset} answers a record that is not in the intents log`);
    return intent;
  }

  #compare(intent: IntentItem, verdict: Verdict): void {
    const { offset, time } = verdict;
    if (intent.digest !== verdict.digest)
      this.#add("audit:digest", offset, `the verdict of ${offset} was made for another record than stands there`);
    if (this.#time === undefined ? time < intent.time : time !== Math.max(this.#time, intent.time))
      this.#add("audit:time", offset, `the verdict of ${offset} has another log time than the records make`);
    this.#compareOutcome(intent, verdict);
  }

  #compareOutcome(intent: IntentItem, verdict: Verdict): void {
    for (const { name, message } of outcomeFaults(intent, verdict, this.#options.codec.genesis.limits))
      this.#add(name, verdict.offset, message);
  }

  #add(name: ObjectionName, offset: Offset | null, message: string): void {
    this.#options.objections.add(name, this.#options.partition, offset, message);
  }
}

function nameOf({ id, agent }: Verdict): string {
  return id === null ? "a record without a name" : `intent ${id} of agent ${agent ?? "?"}`;
}
