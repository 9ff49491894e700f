import type { Isolation } from "@seriatim/protocol";
import type { FilePlace, KafkaPlace } from "../staging/place.ts";

export interface BookingOptions {
  readonly isolation: Isolation;
  readonly agents: number;
  readonly seats: number;
  readonly seed: number;
  readonly place: FilePlace | KafkaPlace;
}
