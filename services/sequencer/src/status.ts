import type { Offset, Position } from "@seriatim/protocol";
import type { Role } from "./pipeline.ts";

/** How a sequencer stands in one partition. */
export interface PartitionStatus {
  readonly partition: number;
  readonly role: Role;
  readonly leading: boolean;
  readonly head: Position;
  readonly decided: Offset;
  /** How many verdicts are decided and not read back, and log time at the oldest of them. */
  readonly pending: number;
  readonly pendingSince: number | undefined;
  /** Verdicts read that answered what was answered already, since the start. */
  readonly repeats: number;
  /** Verdicts read whose predecessor was missing, since the start. */
  readonly gaps: number;
  /** How often the head stalled and this sequencer sent again. */
  readonly stalls: number;
  /** Why its verdicts could not be appended when it last tried; undefined where they were. It goes on trying. */
  readonly obstacle: string | undefined;
}
