import { finding, needsSerializable, type Scenario } from "./scenario.ts";

const [permission, action] = ["refunds/permission", "refunds/done/77"] as const;

/** The permission is revoked between the look at it and the commit of what it allowed. */
export const staleAuthorization: Scenario = {
  name: "stale-authorization",
  story: "a refund is authorised by a permission that is revoked before the refund commits",
  expected: needsSerializable,
  condition: "serializable_in_log_order",
  async play(play) {
    await play.given({ [permission]: "granted" });
    const clerk = await play.begin("clerk", async (tx, pause) => {
      const found = await tx.get<string>(permission);
      await pause(`refunds are ${found}`);
      if (found !== "granted") return "not permitted";
      tx.put(action, { amount: 120 });
      return "refunded";
    });
    await play.perform("security", async (tx) => {
      await tx.get(permission);
      tx.put(permission, "revoked");
    });
    const answer = await clerk.finish();
    const isDone = (await play.read(action)) !== undefined;
    return finding(isDone, `the permission was revoked first, and the clerk reports: ${answer}`);
  },
};
