import type { Digest, Verdict } from "@seriatim/protocol";
import { verdictsOf } from "../../core/model.ts";
import { checkCalls } from "./check-calls.ts";
import { checkOutcome } from "./check-outcome.ts";
import { checkReports, hold } from "./check-reports.ts";
import { contentFrom, contentOf, tablesOf } from "./check-views.ts";
import type { Member } from "./member.ts";
import type { SequencerMember } from "./sequencer-member.ts";
import type { Cast } from "./simulate.ts";
import { appliedIn, recordsOf, replay } from "./truth.ts";
import { partitions, type World } from "./world.ts";

/** What has to hold of a space in which everyone has come to the end of the log. @throws what does not. */
export function check(world: World, { all, diverged, hosts }: Cast): void {
  const verdicts = partitions.map((partition) => checkVerdicts(world, partition));
  const standing = all.filter((member) => member !== diverged || member.life !== undefined);
  checkViews(world, contentFrom(verdicts), standing);
  if (diverged !== undefined && !diverged.hasStopped) checkSound(world, diverged, verdicts);
  for (const decided of verdicts) checkOutcome(decided);
  const reports = hosts.flatMap(({ agents }) => agents.flatMap((agent) => agent.reports));
  checkReports(reports, verdicts.flat());
  checkCalls(world.receiver.calls, verdicts.flat());
}

/** One view, each time another, is read as agents read it; the others have the same rows. */
function checkViews({ seed }: World, content: Digest, members: readonly Member[]): void {
  const read = members[seed % members.length];
  hold(
    read?.life !== undefined && contentOf(read.life.view) === content,
    () => `the view of ${read?.name} is not that of a replay`,
  );
  const rows = read?.life === undefined ? undefined : tablesOf(read.life.file);
  for (const { life, name } of members)
    hold(
      life !== undefined && tablesOf(life.file) === rows,
      () => `the rows of ${name} are not those of ${read?.name}`,
    );
}

/** Every intents record has one applied verdict, which is that of a replay from the start, and the model's. */
function checkVerdicts(world: World, partition: number): Verdict[] {
  const { codec, genesis } = world;
  const intents = recordsOf(world.intents, partition);
  const decisions = replay(codec, partition, intents);
  const applied = appliedIn(codec, partition, recordsOf(world.verdicts, partition));
  hold(applied.length === intents.length, () => `${intents.length} intents have ${applied.length} applied verdicts`);
  const logged = intents.map(({ offset, time, value }) => ({ offset, appendTime: time, bytes: value }));
  const model = verdictsOf(genesis, partition, logged);
  for (const [index, { bytes, verdict }] of decisions.entries()) {
    const where = (): string => `at ${partition}@${verdict.offset}`;
    hold(isEqual(bytes, applied[index]), () => `the verdict in the log ${where()} is not that of a replay`);
    hold(isEqual(bytes, model[index]), () => `the verdict of a replay ${where()} is not the model's`);
  }
  return decisions.map(({ verdict }) => verdict);
}

/** Who has sent a wrong verdict, and has read since what others made of that record, must have stopped. */
function checkSound({ codec, verdicts: log }: World, member: SequencerMember, truth: readonly Verdict[][]): void {
  const { runName } = member;
  for (const [partition, decided] of truth.entries()) {
    const chains = new Map(decided.map(({ offset, chain }) => [offset, chain]));
    for (const { value } of recordsOf(log, partition)) {
      const verdict = member.hasSent(value) ? codec.decodeVerdict(value) : undefined;
      const isRight = verdict === undefined || chains.get(verdict.offset) === verdict.chain;
      hold(isRight, () => `${runName} goes on after a wrong verdict at ${partition}@${verdict?.offset}`);
    }
  }
}

function isEqual(one: Uint8Array, other: Uint8Array | undefined): boolean {
  return other !== undefined && Buffer.compare(one, other) === 0;
}
