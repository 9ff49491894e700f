// Where agents meet: what they need before they can be started, on either log.
import { randomUUID } from "node:crypto";
import { initKafka } from "../kafka-init.ts";
import type { Address } from "./address.ts";
import type { TemporaryFolder } from "./folder.ts";
import type { FilePlace, KafkaPlace } from "./place.ts";
import type { Processes } from "./processes.ts";
import { startService } from "./service.ts";

/** Gives the address of the space to one of its users, by the user's name. */
export type Stage = (user: string) => Address;

/** @param name of a file or space that is made for it. */
export async function setStage(
  place: FilePlace | KafkaPlace,
  name: string,
  folder: TemporaryFolder,
  processes: Processes,
): Promise<Stage> {
  if (place.log === "sqlite") {
    const file = place.file ?? folder.file(`${name}.db`);
    const { synchronous } = place;
    return () => ({ log: "sqlite", file, ...(synchronous === undefined ? {} : { synchronous }) });
  }
  const { brokers, partitions } = place;
  const space = place.space ?? `${name}-${randomUUID().slice(0, 8)}`;
  await initKafka({ brokers: [...brokers], space, partitions });
  // A view each, as if every process stood on a machine of its own: on one machine a shared one costs as much, and so the
  // parent counts from a fold in which no agent had a hand.
  const view = (user: string): string => folder.file(`${space}-${user}.view.db`);
  const sequencerNames = Array.from({ length: place.sequencers }, (_, index) => `sequencer-${index + 1}`);
  await Promise.all(
    sequencerNames.map((each) => {
      const flags = ["--brokers", brokers.join(","), "--space", space, "--view", view(each)];
      return startService({ name: each, arguments: ["sequencer", ...flags] }, processes);
    }),
  );
  return (user) => ({ log: "kafka", brokers, space, view: view(user) });
}
