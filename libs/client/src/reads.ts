import { assert, Failure, fromBytes, toKey } from "@seriatim/protocol";
import type { Key, Offset, Version } from "@seriatim/protocol";
import { answerOf } from "./answer.ts";
import type { HistoryOptions, LookupOptions, ReadOptions } from "./coordinator.ts";
import type { Environment } from "./environment.ts";
import { mergedScan } from "./merged-scan.ts";
import { Placement } from "./placement.ts";
import { toRange, toScanOptions } from "./ranges.ts";
import { refusalOf } from "./refusal.ts";
import type { Entry, HistoryEntry, Lookup } from "./result.ts";
import { decodeResult } from "./run-result.ts";
import type { Space } from "./space.ts";
import type { Range, ScanOptions } from "./transaction.ts";
import { decodeValue } from "./values.ts";

const defaultHistory = 100;

/** What can be asked outside of any transaction. */
export class Reads {
  readonly #environment: Environment;

  constructor(environment: Environment) {
    this.#environment = environment;
  }

  /** @throws Failure `closed`, or the one with which the space ended: its view is not to be told from any more. */
  get #space(): Space {
    this.#environment.checkOpen();
    return this.#environment.space;
  }

  async entry<T>(text: string, options: ReadOptions = {}): Promise<Entry<T> | undefined> {
    const key = toKey(text);
    const partition = this.#placement().touchKey(key);
    const at = await this.#at(partition, options);
    const entry = this.#space.view.get(key, at);
    return entry === undefined ? undefined : toEntry<T>(partition, entry);
  }

  async scan<T>(range: Range, options: ScanOptions & ReadOptions = {}): Promise<Entry<T>[]> {
    const { view, genesis } = this.#space;
    const bounds = toRange(range, genesis.limits.keyBytes);
    const partition = this.#placement().touchRange(bounds);
    const scanOptions = toScanOptions(options);
    const at = await this.#at(partition, options);
    const entries: Entry<T>[] = [];
    for await (const page of mergedScan(view, bounds, at, [], scanOptions))
      for (const { key, value, version } of page) {
        assert(version !== undefined, "a row that nobody has committed");
        entries.push(toEntry<T>(partition, { key, value, version }));
      }
    return entries;
  }

  async history<T>(text: string, { limit = defaultHistory, before }: HistoryOptions = {}): Promise<HistoryEntry<T>[]> {
    const key = toKey(text);
    const partition = this.#placement().touchKey(key);
    if (before !== undefined) checkPartition(before, partition, "before");
    const page = { limit, ...(before === undefined ? {} : { before: before.offset }) };
    return this.#space.view.history(key, page).map(({ version, value, agent, id, time }) => ({
      version: { partition, offset: version },
      value: value === null ? undefined : (decodeValue(value, key) as T),
      deleted: value === null,
      agent,
      intent: id,
      time: new Date(time),
    }));
  }

  async lookup(intent: string, { partition: asked }: LookupOptions = {}): Promise<Lookup> {
    const decision = this.#space.view.decisionOf(intent, asked);
    if (decision === undefined) return { outcome: "absent", intent };
    const { partition, offset, agent, time } = decision;
    const version = { partition, offset };
    const answer = answerOf(decision, decision.digest);
    if (answer.kind === "committed")
      return { outcome: "committed", intent, version, agent, time: new Date(time), value: decodeResult(answer.result) };
    if (answer.code === "cancelled") return { outcome: "cancelled", intent, version };
    return { outcome: "refused", intent, refusal: refusalOf(this.#space, answer, undefined) };
  }

  positions(): Version[] {
    const { view, genesis } = this.#space;
    return Array.from({ length: genesis.partitions }, (_, partition) => ({
      partition,
      offset: view.position(partition).offset,
    }));
  }

  /** The offset at which to read. What is newest is fixed here, so that a scan of many pages sees one state. */
  async #at(partition: number, { minVersion, asOf }: ReadOptions): Promise<Offset> {
    if (minVersion !== undefined) await this.#space.reached(minVersion, { timeout: this.#environment.verdictTimeout });
    const { view } = this.#space;
    if (asOf === undefined) return view.position(partition).offset;
    if (asOf instanceof Date) return view.offsetAt(partition, asOf.getTime());
    checkPartition(asOf, partition, "asOf");
    const { offset } = view.position(partition);
    if (asOf.offset > offset)
      throw new Failure(
        "not_yet",
        `asOf is ${partition}@${asOf.offset}, and this view has come to ${partition}@${offset}: ` +
          "ask for an earlier version, or once more (minVersion waits for one)",
      );
    return asOf.offset;
  }

  #placement(): Placement {
    return new Placement(this.#space.genesis);
  }
}

function toEntry<T>(
  partition: number,
  { key, value, version }: { readonly key: Key; readonly value: Uint8Array; readonly version: Offset },
): Entry<T> {
  return { key: fromBytes(key), value: decodeValue(value, key) as T, version: { partition, offset: version } };
}

function checkPartition(version: Version, partition: number, what: string): void {
  if (version.partition === partition) return;
  throw new Failure(
    "invalid_argument",
    `${what} is a version of partition ${version.partition}, but the key belongs to partition ${partition}`,
  );
}
