/* The memory's calls, interleaved by hand: each is as if alone, also where it was held between its reads and its commit. */
import type { Coordinator } from "@seriatim/client";
import { expect, it } from "vitest";
import { describeSpaces, type MakeSpace, type Participant } from "../support/spaces.ts";
import { call, clientOf, dataOf, entity, gatewayOf, graphOf, textOf } from "./clients.ts";

/** A coordinator whose transactions do `between` once, after the first of them has read and before it is sent. */
function held({ coordinator, space }: Participant, between: () => Promise<unknown>): Participant {
  let isDone = false;
  const run: Coordinator["run"] = (options, fn) =>
    coordinator.run(options, async (tx) => {
      const value = await fn(tx);
      if (!isDone) {
        isDone = true;
        await between();
      }
      return value;
    });
  return { space, coordinator: { ...coordinator, run } };
}

/** What is left at any key of the memory: nothing may be found from one end only. */
async function leftIn({ coordinator }: Participant): Promise<string[]> {
  return (await coordinator.scan({ prefix: "memory/" })).map(({ key }) => key);
}

async function raced(
  make: MakeSpace,
  slow: readonly [tool: string, args: object],
  fast: readonly [tool: string, args: object],
) {
  const participant = await (await make()).join();
  const other = await clientOf(gatewayOf(participant), "fast");
  dataOf(await call(other, "create_entities", { entities: [entity("x", "old")] }));
  const gateway = gatewayOf(held(participant, async () => dataOf(await call(other, ...fast))));
  const result = await call(await clientOf(gateway, "slow"), ...slow);
  return { result, participant, graph: await graphOf(other) };
}

const removal = ["delete_entities", { entityNames: ["x"] }] as const;
const observation = ["add_observations", { observations: [{ entityName: "x", contents: ["new"] }] }] as const;
const relation = ["create_relations", { relations: [{ from: "y", to: "x", relationType: "r" }] }] as const;
const creation = ["create_entities", { entities: [entity("z", "of the one")] }] as const;
const otherCreation = ["create_entities", { entities: [entity("z", "of the other")] }] as const;

await describeSpaces("a call that is held before its commit", (make) => {
  it("a deletion takes the observation that was added meanwhile with it", async () => {
    const { result, participant } = await raced(make, removal, observation);
    dataOf(result);
    expect(await leftIn(participant)).toEqual([]);
  });

  it("a deletion takes the relation that was made meanwhile with it, from both ends", async () => {
    const { result, participant } = await raced(make, removal, relation);
    dataOf(result);
    expect(await leftIn(participant)).toEqual([]);
  });

  it("an observation of an entity that was deleted meanwhile is an error, and leaves nothing", async () => {
    const { result, participant } = await raced(make, observation, removal);
    expect(result.isError).toBe(true);
    expect(textOf(result)).toBe("Entity with name x not found");
    expect(await leftIn(participant)).toEqual([]);
  });

  it("of two that create the same entity, the first stands and the second is told that it did nothing", async () => {
    const { result, graph } = await raced(make, creation, otherCreation);
    expect(dataOf(result)).toEqual({ entities: [] });
    expect(graph.entities[1]).toEqual(entity("z", "of the other"));
  });
});
