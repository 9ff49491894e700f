import { joinGroup, type KafkaOptions } from "@seriatim/log";
import { Failure, sha256, spaceName } from "@seriatim/protocol";
import { Sequencer, type Folding, type SequencerObserver, type SequencerOptions } from "@seriatim/sequencer";
import type { Logger } from "pino";
import type { KafkaLogs, openView } from "../kafka-logs.ts";
import { aborted } from "./aborted.ts";
import { Assignments } from "./assignments.ts";
import type { Looked } from "./look.ts";
import { StatusLog } from "./status-log.ts";

export interface Ready {
  /** The sequencer's own name, as in the headers of its verdicts. */
  readonly name: string;
  readonly space: string;
  readonly partitions: readonly number[];
}

/** How sequencers of one space share its partitions. */
export type Sharing =
  /** Not at all: these, or all unless given, whoever else sequences them. */
  | { readonly kind: "fixed"; readonly partitions: readonly number[] | undefined }
  /** By a consumer group. With `all` a sequencer follows the partitions of the others, to step in at once. */
  | { readonly kind: "group"; readonly standby: "all" | "none" };

export interface SequencingOptions extends KafkaOptions {
  readonly space: string;
  readonly view: string;
  readonly sharing: Sharing;
  readonly log: Logger;
  readonly observer?: SequencerObserver;
  /** Is told which sequencer works now, and when it ends. */
  readonly onSequencer?: (sequencer: Looked | undefined) => void;
  /** Called once, when it can decide. */
  readonly onReady: (ready: Ready) => void;
  readonly signal: AbortSignal;
}

/** The logs and the view of a start, and who folds into the view. */
export type SequencingParts = Pick<KafkaLogs, "connection" | "intents" | "verdicts" | "codec"> &
  Awaited<ReturnType<typeof openView>> & { readonly folding: Folding };

/** One start, on logs and a view that are open. */
export class Sequencing {
  readonly #options: SequencingOptions;
  readonly #parts: SequencingParts;

  constructor(options: SequencingOptions, parts: SequencingParts) {
    this.#options = options;
    this.#parts = parts;
  }

  async run(): Promise<void> {
    const { sharing, signal } = this.#options;
    if (sharing.kind === "fixed") return this.#sequence({ partitions: sharing.partitions }, signal);
    const stop = new AbortController();
    const until = AbortSignal.any([signal, stop.signal]);
    const assignments = new Assignments();
    const membership = this.#join(assignments, until);
    try {
      if (sharing.standby === "all") await this.#followAll(assignments, until);
      else await this.#followAssigned(assignments, until);
    } finally {
      stop.abort();
      await membership;
    }
  }

  #join(assignments: Assignments, signal: AbortSignal): Promise<void> {
    const { space, log } = this.#options;
    return joinGroup(this.#parts.connection, {
      group: groupOf(space),
      topic: this.#parts.intents.name,
      signal,
      onAssigned: (partitions) => {
        log.info({ partitions }, "assigned");
        assignments.set(new Set(partitions));
      },
      onLost: (error) => log.warn({ reason: error instanceof Error ? error.message : String(error) }, "group lost"),
    });
  }

  /** Follows every partition and leads those assigned. */
  async #followAll(assignments: Assignments, signal: AbortSignal): Promise<void> {
    const onOpen = (sequencer: Sequencer): void => assignments.follow((assigned) => sequencer.assign(assigned));
    await this.#sequence({ assigned: new Set() }, signal, onOpen);
  }

  /** Knows nothing but the partitions assigned: begins again from the view whenever they change. */
  async #followAssigned(assignments: Assignments, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const { assigned, changed } = assignments.now();
      const until = AbortSignal.any([signal, changed]);
      if (assigned.size === 0) await aborted(until);
      else await this.#sequence({ partitions: [...assigned], assigned }, until);
    }
  }

  async #sequence(
    choice: Pick<SequencerOptions, "assigned"> & { readonly partitions?: readonly number[] | undefined },
    signal: AbortSignal,
    onOpen: (sequencer: Sequencer) => void = () => undefined,
  ): Promise<void> {
    const { log, observer, onReady, onSequencer } = this.#options;
    const { intents, verdicts, codec, file, view, folding } = this.#parts;
    const { partitions, ...others } = choice;
    const sequencer = await Sequencer.open({
      intents,
      verdicts,
      view,
      file,
      folding,
      codec,
      hash: sha256,
      ...others,
      ...(partitions === undefined ? {} : { partitions }),
      ...(observer === undefined ? {} : { observer }),
    });
    onOpen(sequencer);
    const statusLog = new StatusLog(sequencer, log);
    onSequencer?.({ sequencer, intents, verdicts, view });
    onReady({
      name: sequencer.name,
      space: spaceName(codec.genesis.space),
      partitions: sequencer.status().map(({ partition }) => partition),
    });
    await sequencer.run(signal).finally(() => {
      statusLog.stop();
      onSequencer?.(undefined);
    });
  }
}

function groupOf(space: string): string {
  return `${space}.sequencers`;
}

/** @throws Failure `invalid_argument` when a partition named does not exist. */
export function checkPartitions({ intents }: KafkaLogs, sharing: Sharing): void {
  const partitions = sharing.kind === "fixed" ? sharing.partitions : undefined;
  const missing = partitions?.filter((partition) => partition >= intents.partitions) ?? [];
  if (missing.length > 0)
    throw new Failure(
      "invalid_argument",
      `--partitions: ${intents.name} has no partition ${missing.join(", ")}; its partitions are numbered from 0 to ${intents.partitions - 1}`,
    );
}
