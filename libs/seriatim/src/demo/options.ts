import type { Isolation } from "@seriatim/protocol";
import type { FilePlace, KafkaPlace } from "../staging/place.ts";

export interface DemoOptions {
  readonly isolation: Isolation;
  readonly agents: number;
  /** Of all agents together. */
  readonly runs: number;
  readonly seed: number;
  /** How long an agent thinks between read and commit, in ms. */
  readonly think: number;
  readonly place: FilePlace | KafkaPlace;
}
