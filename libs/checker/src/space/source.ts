import type { Offset, RecordCodec } from "@seriatim/protocol";
import type { Span } from "../history.ts";
import type { Item } from "./items.ts";

export const logNames = ["intents", "verdicts", "effects"] as const;
/** The logs of a space that a checker reads. */
export type LogName = (typeof logNames)[number];

/** Which part of a space is read, by intents offsets. */
export interface Slice {
  /** The first offset read; the log's first unless given. */
  readonly from?: Offset | undefined;
  /** The last offset read; the log's last unless given. */
  readonly to?: Offset | undefined;
  /** Only this partition; all of them unless given. */
  readonly partition?: number | undefined;
}

/** A space as it was at one moment: a file, topics of a broker, or an export. */
export interface SpaceSource {
  /** What it is, for people. */
  readonly name: string;
  /** The flags that make the command read it. */
  readonly flags: readonly string[];
  readonly logs: ReadonlySet<LogName>;
  readonly codec: RecordCodec;
  /** Whether the genesis was found: without it the limits are unknown, and no decision can be derived. */
  readonly hasGenesis: boolean;
  /** The partitions read, with the offset from which each is: 0 for all of it. */
  readonly starts: ReadonlyMap<number, Offset>;
  /** Reads it, again with each call; only what is inside of `spans`, when they are given, or a little more. */
  items(signal: AbortSignal, spans?: readonly Span[]): AsyncIterable<readonly Item[]>;
  close(): Promise<void>;
}
