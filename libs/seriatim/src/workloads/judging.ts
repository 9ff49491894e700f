import {
  judge,
  openFileSource,
  openKafkaSource,
  SpaceHistory,
  type Judgement,
  type Objection,
  type SpaceSource,
} from "@seriatim/checker";
import type { Address } from "../staging/address.ts";

/** What the checker says of a space. */
export interface Judged {
  readonly judgement: Judgement;
  /** What it found wrong with the logs themselves. */
  readonly objections: readonly Objection[];
}

/** Lets the checker read the logs of a space. It asks nobody else. */
export async function judgeAt(address: Address): Promise<Judged> {
  const source = await openSource(address);
  try {
    const history = new SpaceHistory(source, { decisions: true });
    const judgement = await judge(history);
    return { judgement, objections: history.objections.kept };
  } finally {
    await source.close();
  }
}

function openSource(address: Address): Promise<SpaceSource> {
  switch (address.log) {
    case "sqlite":
      return openFileSource(address.file);
    case "kafka":
      return openKafkaSource({ brokers: [...address.brokers], space: address.space });
  }
}
