import { finding, needsSerializable, type Scenario } from "./scenario.ts";

const [stock, order] = ["shop/stock", "shop/order"] as const;

/** What rests on an overwritten read is built upon by others, and leaves for the outside world. */
export const causalCascade: Scenario = {
  name: "causal-cascade",
  story: "an order rests on a stock that was sold meanwhile; another agent builds on the order, and its effect leaves",
  expected: needsSerializable,
  condition: "serializable_in_log_order",
  async play(play) {
    await play.given({ [stock]: 1 });
    const buyer = await play.begin("buyer", async (tx, pause) => {
      const left = (await tx.get<number>(stock)) ?? 0;
      await pause(`${left} in stock`);
      if (left === 0) return "sold out";
      tx.put(order, { pieces: 1 });
      return "ordered";
    });
    await play.perform("till", async (tx) => {
      await tx.get(stock);
      tx.put(stock, 0);
    });
    await buyer.finish();
    const sent = await play.perform("shipper", async (tx) => {
      if ((await tx.get(order)) === undefined) return "nothing to ship";
      tx.put("shop/shipment", "on its way");
      tx.defer("carrier", { pieces: 1 });
      return "shipped";
    });
    return finding(sent === "shipped", `the stock was sold to another, and the shipper reports: ${sent}`);
  },
};
