// An agent that holds something by a call, and is killed before it commits. Needs the build.
import { writeSync } from "node:fs";
import { httpHandlersOf } from "@seriatim/effects";
import { connect, open } from "seriatim";

const { place, http, lease, dies } = JSON.parse(process.argv[2]);
const handlers = httpHandlersOf({ SERIATIM_HTTP_HANDLERS: http });
const die = () => process.kill(process.pid, "SIGKILL");

const coordinator = await ("file" in place ? open(place.file, { handlers }) : connect({ ...place, handlers }));
await coordinator.run({ agent: "agent", id: "trip", partitionKey: "seats" }, async (tx) => {
  const reserving = tx.compensable("reserve", { seat: 4 }, { undo: "release", lease });
  if (dies === "during the call") setTimeout(die, 1_000);
  await reserving;
  writeSync(1, "held\n");
  die();
  await new Promise(() => undefined);
});
