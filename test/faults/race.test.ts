/*
 * 8: a claim raced by many: everyone reads, then everyone submits, and one of them has it. More rounds by hand:
 * SERIATIM_RACE_ROUNDS=1000 npx vitest run test/faults/race.test.ts
 */
import type { RunResult } from "@seriatim/client";
import { expect, it } from "vitest";
import { Barrier, describeSpaces, type Participant } from "../support/spaces.ts";

const racers = [2, 8, 64];
/** In all, of all sizes. */
const rounds = Number(process.env["SERIATIM_RACE_ROUNDS"] ?? 15);
const limit = { timeout: 60_000 + rounds * 2_000 };

/** One round: each racer claims the task if it has seen it free. One attempt each. */
async function claim(participants: readonly Participant[], size: number, task: string): Promise<RunResult<unknown>[]> {
  const barrier = new Barrier(size);
  const one = async (racer: number): Promise<RunResult<unknown>> => {
    const { coordinator } = participants[racer % participants.length] as Participant;
    return coordinator.run({ agent: `racer ${racer}`, attempts: 1 }, async (tx) => {
      const owner = await tx.get(task);
      await barrier.arrive();
      if (owner === undefined) tx.put(task, racer);
    });
  };
  return Promise.all(Array.from({ length: size }, (_, racer) => one(racer)));
}

await describeSpaces("8: a race", (make) => {
  it.each(racers)("of %i has one winner, each round", limit, async (size) => {
    const space = await make();
    const participants = [await space.join(), await space.join()];
    for (let round = 0; round < Math.ceil(rounds / racers.length); round += 1) {
      const results = await claim(participants, size, `tasks/${round}`);
      const winners = results.flatMap((result, racer) => (result.outcome === "committed" ? [racer] : []));
      expect(winners).toHaveLength(1);
      const [{ coordinator, space: opened }] = participants as [Participant];
      for (const result of results)
        if (result.outcome === "committed" && result.version !== undefined) await opened.reached(result.version);
      expect(await coordinator.history(`tasks/${round}`)).toMatchObject([{ value: winners[0] }]);
    }
  });
});
