/* The thread that folds: it owns the writing of one view, and ends with the first fold that fails. */
import { parentPort, workerData } from "node:worker_threads";
import { SqliteFile } from "@seriatim/log";
import { assert, createCodec, decodeGenesis, sha256 } from "@seriatim/protocol";
import { View } from "@seriatim/view";
import { FoldLoop } from "./fold-loop.ts";
import { faultOf, type Order, type Report, type Setup } from "./messages.ts";

assert(parentPort !== null, "the thread that folds was started as a process");
const port = parentPort;
const report = (message: Report): void => port.postMessage(message);

async function work({ path, genesis }: Setup): Promise<void> {
  const file = SqliteFile.open(path, { create: false, synchronous: "normal" });
  const codec = createCodec(decodeGenesis(genesis), sha256);
  try {
    const loop = new FoldLoop({ file, view: await View.open(file), codec, report });
    await new Promise<void>((resolve, reject) => {
      port.on("message", (order: Order) => {
        if (order.kind === "fold") loop.give(order.records).catch(reject);
        else loop.end().then(resolve, reject);
      });
    });
  } finally {
    file.close();
  }
}

try {
  await work(workerData as Setup);
} catch (error) {
  report({ kind: "failed", fault: faultOf(error) });
} finally {
  port.close();
}
