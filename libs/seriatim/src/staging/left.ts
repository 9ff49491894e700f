import type { Address } from "./address.ts";
import type { FilePlace, KafkaPlace } from "./place.ts";

/** Where a run's space still is: its file, or its name on Kafka; null what it has not, or what was removed. */
export interface Left {
  readonly file: string | null;
  readonly space: string | null;
}

export function leftAt(place: FilePlace | KafkaPlace, address: Address): Left {
  if (address.log === "kafka") return { file: null, space: address.space };
  return { file: isLeft(place) ? address.file : null, space: null };
}

function isLeft(place: FilePlace | KafkaPlace): boolean {
  return place.log === "sqlite" && (place.keep || place.file !== undefined);
}
