// A worker that ends itself, or halts, at one step of its work: told on stdout right before. Needs the build.
import { writeSync } from "node:fs";
import { defineHandlers, httpHandlersOf } from "@seriatim/effects";
import { EffectsWorker } from "@seriatim/effects-worker";
import { SqliteFile } from "@seriatim/log";
import { createEffectsCodec, sha256 } from "@seriatim/protocol";
import { dropTimerWarning } from "../../../libs/seriatim/dist/cli/warnings.js";
import { EmbeddedSpace } from "../../../libs/seriatim/dist/embedded-space.js";
import { KafkaLogs } from "../../../libs/seriatim/dist/kafka-logs.js";

const { place, store, step, nth, signal, name, http, grace } = JSON.parse(process.argv[2]);

dropTimerWarning();

let met = 0;
function at(here) {
  if (here !== step) return;
  met += 1;
  if (met !== nth) return;
  writeSync(1, `${here}\n`);
  process.kill(process.pid, signal);
}

const space = "file" in place ? await EmbeddedSpace.open(place.file, { socket: false }) : await KafkaLogs.open(place);
const codec = createEffectsCodec(space.codec.genesis);

function kindsOf(records) {
  return new Set(
    records
      .map(({ value }) => codec.decode(value))
      .filter((r) => r?.worker === name)
      .map((r) => r.kind),
  );
}

/** The effects log, watched. */
const effects = {
  name: space.effects.name,
  partitions: space.effects.partitions,
  bounds: (partition) => space.effects.bounds(partition),
  close: () => space.effects.close(),
  async append(partition, records, options) {
    const kinds = kindsOf(records);
    for (const kind of kinds) at(`before the ${kind}`);
    const offset = await space.effects.append(partition, records, options);
    for (const kind of kinds) at(`after the ${kind}`);
    return offset;
  },
  async *read(from, options) {
    for await (const batch of space.effects.read(from, options)) {
      for (const kind of kindsOf(batch.records)) at(`when the ${kind} is read back`);
      yield batch;
    }
  },
};

/** The built-in handlers, watched. */
const handlers = defineHandlers(
  Object.fromEntries(
    [...httpHandlersOf({ SERIATIM_HTTP_HANDLERS: http })].map(([handler, definition]) => [
      handler,
      {
        idempotent: definition.idempotent,
        timeout: definition.timeout,
        attempts: definition.attempts,
        backoff: definition.backoff,
        longestBackoff: definition.longestBackoff,
        async call(args, context) {
          at("between claim and call");
          const answer = definition.call(args, context);
          setTimeout(() => at("during the call"), 5);
          try {
            return await answer;
          } finally {
            at("after the call");
          }
        },
      },
    ]),
  ),
);

const file = SqliteFile.open(store, { synchronous: "normal" });
const worker = await EffectsWorker.open({
  verdicts: space.verdicts,
  effects,
  append: () => Promise.resolve(),
  codec: space.codec,
  hash: sha256,
  file,
  handlers,
  name,
  grace,
});
writeSync(1, "ready\n");
const stop = new AbortController();
process.on("SIGTERM", () => stop.abort());
await worker.run(stop.signal);
process.exit(0);
