/* Agents in a process of their own: start it by test/support/run.mjs. They tell what they were told when they are done. */
import { setTimeout as sleep } from "node:timers/promises";
import { createCoordinator } from "@seriatim/client";
import { Random } from "@seriatim/log";
import { EmbeddedSpace } from "../../../libs/seriatim/src/embedded-space.ts";
import { Actor, handlers } from "./actor.ts";
import { together } from "./testimony.ts";

/**
 * @param args the file, a name, a seed, how many transactions each of how many agents runs, how many writes another one
 *   makes, and `alone` where it neither commits for other processes nor they for it.
 */
export async function main(args: readonly string[]): Promise<number> {
  const [path = "", name, seed, runs, lanes, writes, role] = args;
  const space = await EmbeddedSpace.open(path, { socket: role !== "alone" });
  const coordinator = createCoordinator(space, { handlers });
  const random = new Random(Number(seed));
  const stage = {
    random,
    pause: () => sleep(random.below(3)),
    untilCommit: () => sleep(random.below(20)),
  };
  await new Promise<void>((begin) => {
    process.once("message", () => begin());
    process.send?.("ready");
  });
  const actors = Array.from({ length: Number(lanes) }, (_, lane) => new Actor(`${name}-${lane}`, coordinator, stage));
  const scribbler = new Actor(`${name}-scribbler`, coordinator, stage);
  await Promise.all([...actors.map((actor) => actor.act(Number(runs))), scribbler.scribble(Number(writes))]);
  await new Promise((sent) => process.send?.(together([...actors, scribbler]), sent));
  await coordinator.close();
  process.disconnect();
  return 0;
}
