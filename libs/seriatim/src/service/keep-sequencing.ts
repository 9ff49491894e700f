import { FoldThread } from "@seriatim/sequencer";
import { KafkaLogs, openView } from "../kafka-logs.ts";
import { keepGoing } from "./keep-going.ts";
import { checkPartitions, Sequencing, type Ready, type SequencingOptions } from "./sequencing.ts";

/** Sequences until the signal fires; see {@link keepGoing}. */
export async function keepSequencing(options: SequencingOptions): Promise<void> {
  const { log, signal, onReady } = options;
  let wasReady = false;
  await keepGoing({ log, signal, away: "broker away; beginning again from the view" }, (onStarted) =>
    sequence(options, (ready) => {
      onStarted({ name: ready.name, partitions: ready.partitions });
      if (!wasReady) onReady(ready);
      wasReady = true;
    }),
  );
}

async function sequence(options: SequencingOptions, onReady: (ready: Ready) => void): Promise<void> {
  const logs = await KafkaLogs.open(options);
  try {
    checkPartitions(logs, options.sharing);
    const { file, view } = await openView(options.view, logs);
    const { connection, intents, verdicts, codec } = logs;
    const folding = new FoldThread({ path: file.path, genesis: codec.genesis });
    try {
      const parts = { connection, intents, verdicts, codec, file, view, folding };
      await new Sequencing({ ...options, onReady }, parts).run();
    } finally {
      await folding.close();
      file.close();
    }
  } finally {
    await logs.close();
  }
}
