import { sha256, type Digest, type Offset } from "@seriatim/protocol";
import type { DecidedRecord } from "../audit/decided.ts";
import type { Objections } from "../audit/objections.ts";
import { isIntent } from "../audit/draft.ts";
import { PartitionAudit } from "../audit/partition-audit.ts";
import { DecisionCheck } from "../decisions/decision-check.ts";
import { Deriver } from "../decisions/deriver.ts";
import { EffectsAudit } from "../effects/effects-audit.ts";
import type { Item } from "../space/items.ts";
import type { SpaceSource } from "../space/source.ts";

export interface PartitionReadingOptions {
  readonly source: SpaceSource;
  readonly partition: number;
  readonly start: Offset;
  readonly objections: Objections;
  readonly decisions: boolean;
  /** Whether the lines of an export are taken at their word. */
  readonly trustsExports: boolean;
  readonly head: Digest | undefined;
  /** @param left where in the effects log an effect of the record first left, by its index */
  readonly onDecided: (record: DecidedRecord, left: (index: number) => Offset | null) => void;
}

/** One partition, as it is read: audited, its decisions derived anew or, where there are no verdicts, at all. */
export class PartitionReading {
  readonly audit: PartitionAudit;
  /** Undefined where the effects log is not read. */
  readonly effects: EffectsAudit | undefined;
  readonly decisions: DecisionCheck | undefined;
  /** Records whose outcome was derived, since no verdict says it. */
  derived = 0;
  readonly #deriver: Deriver | undefined;
  readonly #options: PartitionReadingOptions;

  constructor(options: PartitionReadingOptions) {
    const { source, partition, start, objections, head, trustsExports } = options;
    const { codec, logs } = source;
    this.#options = options;
    this.decisions = options.decisions ? new DecisionCheck(codec, start, objections) : undefined;
    this.effects = logs.has("effects") ? new EffectsAudit(partition, sha256, objections) : undefined;
    // From the midst of a log nothing is derived: what stands below may have claimed any id, and set the log time.
    const isDerived = !logs.has("verdicts") && source.hasGenesis && start === 0;
    this.#deriver = isDerived ? new Deriver(codec, start) : undefined;
    const onDecided = (record: DecidedRecord): void => this.#give(record);
    this.audit = new PartitionAudit({
      partition,
      codec,
      hasIntents: logs.has("intents"),
      start,
      head,
      objections,
      trustsExports,
      hasGenesis: source.hasGenesis,
      onDecided,
    });
  }

  take(item: Item): void {
    if (item.kind === "effect") this.effects?.note(item.at, item.record);
    else if (this.#deriver !== undefined && item.kind === "intent") this.#derive(this.#deriver, item);
    else this.audit.take(item);
  }

  end(): void {
    this.audit.end();
    const { hasGenesis } = this.#options.source;
    if (hasGenesis) this.effects?.end(this.audit.head?.offset ?? -1, this.#options.start);
  }

  #derive(deriver: Deriver, item: Extract<Item, { kind: "intent" }>): void {
    const { partition, offset, record } = item;
    const time = deriver.timeOf(item.time);
    const outcome = deriver.outcomeOf(item, time);
    if (outcome === undefined) return this.audit.take(item);
    if (!this.audit.isNext(item)) return;
    this.derived += 1;
    const { id, agent } = isIntent(record) ? record : { id: null, agent: null };
    deriver.follow(item, { id, outcome });
    this.#give({ partition, offset, time, id, agent, intent: item, outcome });
  }

  #give(record: DecidedRecord): void {
    this.decisions?.take(record);
    const left = this.effects?.leftOf(record.offset) ?? never;
    this.effects?.take(record);
    this.#options.onDecided(record, left);
  }
}

function never(): null {
  return null;
}
