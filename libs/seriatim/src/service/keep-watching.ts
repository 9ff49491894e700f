import type { Logger } from "pino";
import { followVerdicts } from "../cli/follow-verdicts.ts";
import { openFile } from "../cli/open-space.ts";
import type { Place } from "../cli/place.ts";
import { allPartitions } from "../genesis.ts";
import { KafkaLogs } from "../kafka-logs.ts";
import { keepGoing } from "./keep-going.ts";
import type { RulesWatch } from "./rules-watch.ts";

export interface WatchingOptions {
  readonly place: Place;
  readonly watched: RulesWatch;
  readonly log: Logger;
  /** Called once, when it reads. */
  readonly onReady: () => void;
  readonly signal: AbortSignal;
}

/** Gives every verdict to the rules until the signal fires; see {@link keepGoing}. */
export async function keepWatching({ place, watched, log, onReady, signal }: WatchingOptions): Promise<void> {
  let wasReady = false;
  await keepGoing({ log, signal, away: "log away; beginning again from its start" }, async (onStarted) => {
    const logs = await (place.kind === "file" ? openFile(place.path, { writes: false }) : KafkaLogs.open(place));
    try {
      watched.begin();
      onStarted({ rules: watched.names });
      if (!wasReady) onReady();
      wasReady = true;
      const { verdicts, codec } = logs;
      await followVerdicts({
        verdicts,
        codec,
        partitions: allPartitions(codec.genesis),
        from: 0,
        follow: true,
        signal,
        onVerdict: (verdict) => watched.take(verdict),
        onOddity: (sentence) => log.warn(sentence),
      });
    } finally {
      await logs.close();
    }
  });
}
