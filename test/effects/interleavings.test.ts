/* The interleavings in which it matters when an effect leaves, at each level. */
import { isolations, type Isolation } from "@seriatim/protocol";
import { describe, expect, it } from "vitest";
import { describeSpaces } from "../support/spaces.ts";
import { Settable, startWorker } from "./workers.ts";

const patient = { timeout: 30_000 };
const partitionKey = "orders";

await describeSpaces("effects of several agents", (make) => {
  it.each(isolations)(
    "tool-effect reordering at level %s: the slower one, committed first, lands first",
    async (isolation) => {
      const { coordinator, space } = await (await make()).join();
      const landed: unknown[] = [];
      const begun = new Settable();
      const gate = new Settable();
      await startWorker(space, {
        dispatch: {
          call: async (args) => {
            begun.resolve();
            if (args === "first") await gate.promise;
            landed.push(args);
          },
        },
      });
      const act = async (agent: string): Promise<void> => {
        const { outcome } = await coordinator.run({ agent, partitionKey, isolation }, (tx) => {
          tx.put(`orders/${agent}`, 1);
          tx.defer("dispatch", agent, { lane: "van" });
        });
        expect(outcome).toBe("committed");
      };
      await act("first");
      await begun.promise;
      await act("second");
      // Another lane shows that the worker has read the second by now, and could have called it.
      await coordinator.run({ agent: "third", partitionKey }, (tx) => tx.defer("dispatch", "third", { lane: "bike" }));
      await expect.poll(() => landed, patient).toEqual(["third"]);
      gate.resolve();
      await expect.poll(() => landed, patient).toEqual(["third", "first", "second"]);
    },
  );

  describe("causal cascade", () => {
    const outcomes: Record<Isolation, readonly unknown[]> = {
      none: ["ship", "last"],
      snapshot: ["ship", "last"],
      serializable: ["last"],
    };

    it.each(isolations)(
      "at level %s: what rests on an overwritten read leaves only if that level lets it",
      async (isolation) => {
        const { coordinator, space } = await (await make()).join();
        const left: unknown[] = [];
        await startWorker(space, { dispatch: { call: (args) => void left.push(args) } });
        await coordinator.run({ agent: "owner", partitionKey }, (tx) => tx.put("orders/limit", 100));
        // It reads the limit, and acts on it; meanwhile the owner takes it back.
        const hasRead = new Settable();
        const isOverwritten = new Settable();
        const acting = coordinator.run({ agent: "buyer", partitionKey, isolation, attempts: 1 }, async (tx) => {
          await tx.get("orders/limit");
          hasRead.resolve();
          await isOverwritten.promise;
          tx.put("orders/1", { amount: 100 });
        });
        await hasRead.promise;
        await coordinator.run({ agent: "owner", partitionKey }, (tx) => tx.put("orders/limit", 0));
        isOverwritten.resolve();
        await acting;
        // A third builds on the action, and what it asks for leaves.
        await coordinator.run({ agent: "shipper", partitionKey, isolation }, async (tx) => {
          if ((await tx.get("orders/1")) !== undefined) tx.defer("dispatch", "ship");
        });
        await coordinator.run({ agent: "last", partitionKey }, (tx) => tx.defer("dispatch", "last"));
        await expect.poll(() => left, patient).toEqual(outcomes[isolation]);
      },
    );
  });

  it("22: the same business five times is one effect", async () => {
    const { coordinator, space } = await (await make()).join();
    const keys: string[] = [];
    await startWorker(space, { pay: { call: (_, { key }) => void keys.push(key) } });
    for (let time = 0; time < 5; time += 1) {
      const { outcome } = await coordinator.run({ agent: "payer", id: "invoice-7", partitionKey }, (tx) => {
        tx.put("orders/7", "paid");
        tx.defer("pay", { invoice: 7 });
      });
      expect(outcome).toBe("committed");
    }
    await coordinator.run({ agent: "payer", partitionKey }, (tx) => tx.defer("pay", { invoice: 8 }));
    await expect.poll(() => keys.length, patient).toBe(2);
    expect(new Set(keys).size).toBe(2);
  });
});
