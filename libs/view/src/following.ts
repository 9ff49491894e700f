import type { Log, SqliteFile } from "@seriatim/log";
import type { Offset, Position, RecordCodec } from "@seriatim/protocol";
import type { FoldCounts } from "./types.ts";
import type { View } from "./view.ts";

/** The view went on from the verdict of `from` to that of `to`. */
export interface Advance {
  readonly partition: number;
  readonly from: Offset;
  readonly to: Offset;
}

/**
 * `stalled`: the verdicts log was read to its end, and no record in it is the successor of the view's head, though
 * others came after it: verdicts were lost or torn. The view does not advance until a sequencer has sent them again.
 * `recovered`: it advances again.
 */
export type Alarm =
  | {
      readonly kind: "stalled";
      readonly partition: number;
      readonly head: Position;
      /** Where the verdicts log ends. */
      readonly end: Offset;
      /** The highest offset that a verdict was read of. */
      readonly seen: Offset;
      /** How many records were read and not applied since the head was, repeats aside. */
      readonly skipped: number;
    }
  | { readonly kind: "recovered"; readonly partition: number; readonly head: Position };

export interface FollowOptions {
  /** The verdicts log. */
  readonly log: Log;
  readonly view: View;
  /** The file that the view is in. */
  readonly file: SqliteFile;
  readonly codec: RecordCodec;
  readonly partitions: readonly number[];
  readonly signal: AbortSignal;
  /** After each advance of the view, also when another process folded. Must not throw. */
  readonly onAdvance: (advance: Advance) => void;
  /** Must not throw. */
  readonly onAlarm: (alarm: Alarm) => void;
}

export interface Following {
  /** Resolves when everything was read that the log held when `follow` was called. Never rejects: see `ended`. */
  readonly caughtUp: Promise<void>;
  /** Resolves when `signal` fired. Rejects with what the log's `read` or the file's `transaction` failed with. */
  readonly ended: Promise<void>;
  /** What was read of a partition since `follow` was called, without what was applied. */
  counts(partition: number): FoldCounts;
}
