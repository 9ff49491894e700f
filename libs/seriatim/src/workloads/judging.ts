import {
  judge,
  openFileSource,
  openKafkaSource,
  SpaceHistory,
  type Judgement,
  type LoggedHistory,
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
export function judgeAt(address: Address): Promise<Judged> {
  return withHistory(address, async (_, judged) => judged);
}

/** The same, for who has a question of his own besides. */
export async function withHistory<T>(
  address: Address,
  ask: (history: LoggedHistory, judged: Judged) => Promise<T>,
): Promise<T> {
  const source = await openSource(address);
  try {
    const history = new SpaceHistory(source, { decisions: true });
    const judgement = await judge(history);
    return await ask(history, { judgement, objections: history.objections.kept });
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
