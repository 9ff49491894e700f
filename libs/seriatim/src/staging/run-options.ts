import type { Isolation } from "@seriatim/protocol";
import type { FilePlace, KafkaPlace } from "./place.ts";

/** What each run of agents in processes of their own has to know. */
export interface RunOptions {
  readonly isolation: Isolation;
  readonly agents: number;
  readonly seed: number;
  readonly place: FilePlace | KafkaPlace;
}
