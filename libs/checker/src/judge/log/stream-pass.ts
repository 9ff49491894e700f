import { Failure, type Isolation, type KeyRange, type Offset, type Point } from "@seriatim/protocol";
import type { LoggedTransaction } from "../../history.ts";
import { ClaimTally } from "./claim-tally.ts";
import { KeyTable, noVersion } from "./key-table.ts";
import { LaneOrder } from "./lane-order.ts";
import { Spans } from "./spans.ts";

/**
 * The first look at one partition: a stream, of which only the newest version of each key is kept. It finds what needs
 * a second look: every transaction with a read that was not of the newest version, and the span that it reaches back.
 */
export class StreamPass {
  readonly partition: number;
  readonly start: Offset;
  readonly spans = new Spans();
  readonly claims = new ClaimTally();
  readonly lanes: LaneOrder;
  first: Offset = noVersion;
  last: Offset = noVersion;
  committed = 0;
  aborted = 0;
  indeterminate = 0;
  initialReads = 0;
  cascades = 0;
  /** Ranges, and absent keys, that were read at level none, where each read has a snapshot of its own. */
  looseReads = 0;
  /** Of what committed. */
  readonly agents = new Set<string>();

  readonly keys = new KeyTable();
  readonly #effectsKnown: boolean;
  /** The span of the transaction at hand, widened by each of its reads that leads elsewhere than to the newest. */
  #low: Offset = 0;
  #high: Offset = 0;
  #rests = false;

  constructor(partition: number, start: Offset, effectsKnown: boolean) {
    this.partition = partition;
    this.start = start;
    this.#effectsKnown = effectsKnown;
    this.lanes = new LaneOrder();
  }

  add(transaction: LoggedTransaction): void {
    const { offset } = transaction;
    if (offset <= this.last) throw outOfOrder(transaction, this.last);
    if (this.first === noVersion) this.first = offset;
    this.last = offset;
    if (transaction.status === "committed") this.#commit(transaction);
    else if (transaction.status === "aborted") this.aborted += 1;
    else this.indeterminate += 1;
  }

  #commit(transaction: LoggedTransaction): void {
    const { offset, isolation, effects } = transaction;
    this.committed += 1;
    this.claims.count(isolation);
    this.agents.add(transaction.agent);
    this.#low = this.#high = offset;
    this.#rests = false;
    const seen = Math.min(transaction.snapshot, offset - 1);
    for (const point of transaction.points) {
      if (point.version === null) this.#absent(point, seen, isolation);
      else this.#present(point, point.version);
    }
    for (const range of transaction.ranges) this.#range(range, seen, transaction);
    const suspicious = this.#low !== offset || this.#high !== offset;
    if (suspicious) this.spans.add(this.#low, this.#high);
    this.#write(transaction, suspicious || this.#rests);
    if (effects.length === 0) return;
    if (suspicious || this.#rests)
      this.cascades += effects.filter(({ left }) => left !== null || !this.#effectsKnown).length;
    this.lanes.add(effects);
  }

  #present(point: Point, version: Offset): void {
    const id = this.keys.find(point.key);
    if (version < this.start) this.initialReads += 1;
    if (id === undefined) {
      if (version < this.start) this.keys.addInitial(point.key, version);
      else this.#widen(version);
      return;
    }
    if (this.keys.newest(id) !== version || this.keys.deleted(id)) this.#widen(Math.max(version, this.start));
    this.#rests ||= this.keys.tainted(id);
  }

  #absent(point: Point, seen: Offset, isolation: Isolation): void {
    const id = this.keys.find(point.key);
    if (id === undefined) {
      if (this.start > 0) this.keys.addInitial(point.key, noVersion);
      return;
    }
    const newest = this.keys.newest(id);
    this.#rests ||= this.keys.tainted(id);
    if (newest === noVersion) return;
    if (isolation === "none") this.looseReads += 1;
    if (newest <= seen && this.keys.deleted(id)) return;
    this.#widen(Math.max(this.keys.lifeAt(id, seen) ?? seen + 1, this.start));
  }

  #range(range: KeyRange, seen: Offset, { snapshot, isolation, offset }: LoggedTransaction): void {
    if (isolation === "none") this.looseReads += 1;
    if (snapshot < this.start - 1) this.initialReads += 1;
    if (snapshot >= offset) this.#widen(snapshot);
    if (this.keys.changedAfter(range, seen)) this.#widen(Math.max(seen + 1, this.start));
    this.#rests ||= this.keys.anyTainted(range);
  }

  #write(transaction: LoggedTransaction, tainted: boolean): void {
    const { offset, snapshot, isolation, writes } = transaction;
    if (isolation === "snapshot" && writes.some(({ key, blind }) => !blind && this.#newestOf(key) > snapshot))
      this.claims.break(transaction);
    for (const { key, deleted } of writes) this.keys.write(key, offset, deleted, tainted);
  }

  #newestOf(key: Point["key"]): Offset {
    const id = this.keys.find(key);
    return id === undefined ? noVersion : this.keys.newest(id);
  }

  #widen(to: Offset): void {
    this.#low = Math.min(this.#low, to);
    this.#high = Math.max(this.#high, to);
  }
}

function outOfOrder({ partition, offset }: LoggedTransaction, last: Offset): Failure {
  return new Failure(
    "invalid_argument",
    `partition ${partition}: offset ${offset} stands after offset ${last}; a logged history is in the order of its log, each offset once`,
  );
}
