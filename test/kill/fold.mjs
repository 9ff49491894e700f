// Folds in a process of its own, to be killed at it: decides a file's intents, or follows a verdicts log into a view.
// Tells on stdout when it is inside of a transaction, before that does anything.
import { writeSync } from "node:fs";
import { SqliteFile, SqliteLog } from "@seriatim/log";
import { createCodec, decodeGenesis, sha256 } from "@seriatim/protocol";
import { follow, View } from "@seriatim/view";
import { open } from "seriatim";

const nothing = () => undefined;
const [how, logs, viewPath] = process.argv.slice(2);
const transaction = Reflect.get(SqliteFile.prototype, "transaction");
SqliteFile.prototype.transaction = function tell(work, options) {
  const telling = () => {
    writeSync(1, ".");
    return work();
  };
  return transaction.call(this, telling, options);
};

if (how === "decide") {
  const coordinator = await open(logs);
  await coordinator.close();
} else {
  const log = await SqliteLog.open(SqliteFile.open(logs), "verdicts");
  const file = SqliteFile.open(viewPath);
  const view = await View.open(file);
  const codec = createCodec(decodeGenesis(view.genesis()), sha256);
  const stop = new AbortController();
  const options = { log, view, file, codec, partitions: [0], signal: stop.signal };
  const { caughtUp, ended } = follow({ ...options, onAdvance: nothing, onAlarm: nothing });
  await Promise.race([caughtUp, ended]);
  stop.abort();
  await ended;
}
