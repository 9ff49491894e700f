/* A broker that is killed and comes back: who waits goes on, who cannot wait is told, and nobody is restarted. */
import { attemptId, type RunResult } from "@seriatim/client";
import { isFailure } from "@seriatim/protocol";
import { expect, it, vi } from "vitest";
import { describeOwnBroker } from "../support/own-broker.ts";
import type { Participant } from "../support/spaces.ts";
import { caughtUp, join, makeSpace, sequence } from "./spaces.ts";

// Brokers and processes start slowly on a busy machine.
vi.setConfig({ testTimeout: 240_000 });

const count = ({ coordinator }: Participant, id: string): Promise<RunResult<number>> =>
  coordinator.run({ agent: "counter", id, partitionKey: "n", attempts: 100 }, async (tx) => {
    const n = ((await tx.get<number>("n/count")) ?? 0) + 1;
    tx.put("n/count", n);
    return n;
  });

const failureOf = (call: Promise<unknown>): Promise<unknown> => call.catch((error: unknown) => error);

await describeOwnBroker("broker away", (broker) => {
  it("who waits for it goes on when it is back, nobody restarted", async () => {
    const space = await makeSpace(broker().brokers);
    const sequencing = await sequence(space);
    const participants = [await join(space), await join(space)];
    for (const [index, participant] of participants.entries()) await count(participant, `before ${index}`);

    await broker().kill();
    const waiting = participants.flatMap((participant, index) =>
      [1, 2, 3].map((n) => count(participant, `during ${index}.${n}`)),
    );
    await broker().restart();
    const results = await Promise.all(waiting);
    expect(results.map(({ outcome }) => outcome)).toEqual(results.map(() => "committed"));

    const [first, second] = participants as [Participant, Participant];
    await count(first, "after");
    await caughtUp(second);
    expect(await second.coordinator.get("n/count")).toBe(9);
    await Promise.race([sequencing.running, Promise.resolve()]);
  });

  it("who cannot wait is told whether a retry can help, and goes on after an outage that no read outlived", async () => {
    const space = await makeSpace(broker().brokers);
    const impatient = { appendTimeout: 500, answerTimeout: 500, readTimeout: 1000 };
    const sequencing = await sequence(space, impatient);
    const participant = await join(space, { ...impatient, verdictTimeout: 1500 });
    await count(participant, "before");

    await broker().kill();
    for (const id of ["a", "b", "c"]) {
      const failure = await failureOf(count(participant, id));
      expect(failure).toSatisfy((error) => isFailure(error, "unavailable", "unknown_outcome"));
      if (isFailure(failure, "unavailable")) expect(failure.canRetry).toBe(true);
    }
    const { offset } = participant.space.view.position(0);
    const late = await failureOf(participant.space.reached({ partition: 0, offset: offset + 1 }, { timeout: 100 }));
    expect(late).toMatchObject({ code: "not_yet", canRetry: true });
    expect(await failureOf(join(space, impatient))).toMatchObject({ code: "unavailable", canRetry: true });
    // What was decided can still be read.
    expect(await participant.coordinator.get("n/count")).toBe(1);
    await sequencing.logged("broker away; beginning again from the view");

    await broker().restart();
    await sequencing.logged("started again");
    for (const id of ["before", "a", "b", "c"]) await untilCounted(participant, id);
    await caughtUp(participant);
    expect(await participant.coordinator.get("n/count")).toBe(4);
  });

  it("26: a hundred sends and a restart: new producers, each intent with one verdict", async () => {
    const space = await makeSpace(broker().brokers, { partitions: 2 });
    await sequence(space);
    const participant = await join(space);
    const ids = Array.from({ length: 100 }, (_, index) => `order ${index}`);
    const sends = ids.map((id, index) =>
      participant.coordinator.run({ agent: "shop", id, partitionKey: `orders${index}`, attempts: 100 }, (tx) =>
        tx.put(`orders${index}/done`, true),
      ),
    );
    await Promise.race(sends);
    await broker().kill();
    await broker().restart();
    const results = await Promise.all(sends);
    expect(results.filter(({ outcome }) => outcome === "committed")).toHaveLength(100);

    const other = await join(space);
    await caughtUp(other);
    for (const [index, id] of ids.entries()) {
      expect(await other.coordinator.history(`orders${index}/done`)).toHaveLength(1);
      expect(await other.coordinator.lookup(attemptId(id, 1))).not.toMatchObject({ outcome: "absent" });
    }
  });
});

/** Runs it again for as long as a retry can help: with a business id, that never does it twice. */
async function untilCounted(participant: Participant, id: string): Promise<void> {
  for (;;) {
    const outcome = await failureOf(count(participant, id));
    if (!(outcome instanceof Error)) return;
    expect(outcome).toSatisfy((error) => isFailure(error, "unavailable", "unknown_outcome"));
  }
}
