import type { Offset, Position } from "@seriatim/protocol";

/** How a sequencer stands in one partition. */
export interface PartitionStatus {
  readonly partition: number;
  readonly leading: boolean;
  readonly head: Position;
  readonly decided: Offset;
  readonly pending: number;
  /** Verdicts read that answered what was answered already, since the start. */
  readonly repeats: number;
  /** Verdicts read whose predecessor was missing, since the start. */
  readonly gaps: number;
  /** How often the head stalled and this sequencer sent again. */
  readonly stalls: number;
}
