// One agent in a process of its own, on the built packages: commits as often as it is told, and tells what was
// acknowledged. Each commit counts up, so that one lost or doubled shows.
import { createCoordinator } from "@seriatim/client";
import { EmbeddedSpace } from "../../libs/seriatim/dist/embedded-space.js";

const [file, name, options] = process.argv.slice(2);
const space = await EmbeddedSpace.open(file, JSON.parse(options ?? "{}"));
const coordinator = createCoordinator(space);
let wanted = 0;
let done = 0;
let isRunning = false;

async function run() {
  if (isRunning) return;
  isRunning = true;
  while (done < wanted) {
    const result = await coordinator.run({ agent: name, attempts: 1 }, async (tx) => {
      const count = (await tx.get(`counts/${name}`)) ?? 0;
      tx.put(`counts/${name}`, count + 1);
      tx.put(`entries/${name}/${count + 1}`, process.pid);
    });
    if (result.outcome !== "committed") throw new Error(`refused: ${result.refusal.message}`);
    done += 1;
    process.send({ done, role: space.role });
  }
  isRunning = false;
}

process.on("message", ({ commit, ask, close }) => {
  if (commit !== undefined) {
    wanted += commit;
    void run();
  }
  if (ask) process.send({ done, role: space.role });
  if (close) void coordinator.close().then(() => process.disconnect());
});
process.send({ done, role: space.role });
