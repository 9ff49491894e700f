import { encodeGenesis, isFailure } from "@seriatim/protocol";
import { hold } from "./check-reports.ts";
import type { Member } from "./member.ts";
import { pick, type Loss } from "./plan.ts";
import type { Cast } from "./simulate.ts";
import { appliedIn, recordsOf } from "./truth.ts";
import { partitions, type World } from "./world.ts";

/**
 * The intents log loses records that were acknowledged and decided, in a space in which everyone has come to its end.
 * Nobody may get over it: whoever runs stops, whoever is started refuses, and the verdicts log stays as it is.
 */
export async function lose(world: World, cast: Cast, loss: Loss): Promise<void> {
  world.note(loss);
  world.hasLost = true;
  // What is on its way lands first.
  await world.clock.sleep(5_000);
  const before = appliedEverywhere(world);
  const partition = pick(world.random, partitions);
  // One that is cut and has grown again looks to whoever is in the midst of it as if nothing had been.
  if (loss === "intentsReplaced") for (const member of cast.all) member.end();
  damage(world, partition, loss);
  await world.until(() => cast.sequencers.every(({ hasEnded }) => hasEnded));
  for (const member of cast.all) member.end();

  for (const member of cast.all) {
    if (member.name === cast.diverged?.name) continue;
    const [latest] = member.copies.slice(-1);
    if (latest !== undefined) await refuses(member, latest, loss);
  }
  // Those that know nothing yet, or only what was before, find out from the verdicts.
  const sequencer = pick(world.random, cast.sequencers);
  await refuses(sequencer, world.emptyView, loss);
  const [earliest] = sequencer.copies;
  if (earliest !== undefined) await refuses(sequencer, earliest, loss);
  hold(appliedEverywhere(world) === before, () => `after ${loss} verdicts were added to those of the lost history`);
}

async function refuses(member: Member, image: Uint8Array, loss: Loss): Promise<void> {
  const outcome = await member.outcomeOfStart(image);
  const text = (): string => (outcome instanceof Error ? outcome.message : "it goes on");
  hold(isFailure(outcome, "log_changed"), () => `${member.name} was started after ${loss}: ${text()}`);
}

function damage(world: World, partition: number, loss: Loss): void {
  const { records } = world.intents;
  const last = recordsOf(world.intents, partition).at(-1)?.offset ?? 0;
  if (loss === "intentsRecreated") {
    records.recreate();
    for (const each of partitions) append(world, each, encodeGenesis(world.genesis));
    return;
  }
  records.truncate(partition, Math.max(1, last - world.random.below(10)));
  if (loss === "intentsCut") return;
  while (records.bounds(partition).end <= last + 1 + world.random.below(5)) {
    const id = `another ${records.bounds(partition).end}`;
    const cancel = {
      kind: "cancel",
      space: world.genesis.space,
      partition,
      id,
      agent: "another",
      snapshot: 0,
    } as const;
    append(world, partition, world.codec.encodeIntent(cancel));
  }
}

function append(world: World, partition: number, value: Uint8Array): void {
  world.intents.records.append(partition, [{ value }], world.clock.now());
}

function appliedEverywhere({ codec, verdicts }: World): string {
  return partitions.map((partition) => appliedIn(codec, partition, recordsOf(verdicts, partition)).length).join();
}
