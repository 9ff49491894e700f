import type { Disturbance } from "./plan.ts";
import { pick } from "./plan.ts";
import type { Cast } from "./simulate.ts";
import { partitions, type World } from "./world.ts";

/** Lets things happen, one after another, until the agents have done. */
export async function disturb(world: World, cast: Cast): Promise<void> {
  const agents = cast.hosts.flatMap((host) => host.agents);
  while (!world.isCalm && agents.some(({ isDone }) => !isDone)) {
    await world.clock.sleep(1 + world.random.below(world.plan.maxPeace));
    if (world.random.chance(0.2)) for (const member of cast.all) if (world.random.chance(0.2)) member.copy();
    for (const [disturbance, does] of doing) if (world.happens(disturbance)) does(world, cast);
  }
}

const doing: readonly (readonly [Disturbance, (world: World, cast: Cast) => void])[] = [
  [
    "killSequencer",
    (world, { sequencers, diverged }) =>
      pick(world.random, [...sequencers, ...(diverged === undefined ? [] : [diverged])]).kill(),
  ],
  ["killReader", (_, { readers }) => readers[0]?.kill()],
  ["killAgents", (world, { hosts }) => pick(world.random, hosts).kill()],
  ["pause", (world, { all }) => pick(world.random, all).life?.process.pause(world.random.below(4_000))],
  ["verdictsCut", (world) => world.cutVerdicts(pick(world.random, partitions))],
  ["outage", (world) => outage(world)],
];

/** Of both logs. A second one in its course ends with it. */
function outage(world: World): void {
  const { intents, verdicts, plan } = world;
  intents.faults.rates = { ...plan.intents, unavailable: 1 };
  verdicts.faults.rates = { ...plan.verdicts, unavailable: 1 };
  world.clock.schedule(() => {
    if (world.isCalm) return;
    intents.faults.rates = plan.intents;
    verdicts.faults.rates = plan.verdicts;
  }, world.random.below(2_000));
}
