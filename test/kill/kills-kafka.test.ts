/* Fifty kills on Kafka. More by hand: npm run test:kill -- --log kafka --kills N --seed S */
import { it } from "vitest";
import { availableKind } from "../../tools/kafka/broker.mjs";
import { describeKafka } from "../support/kafka.ts";
import { expectSound } from "./expect-sound.ts";

const kind = await availableKind();

await describeKafka("fifty kills on Kafka, its broker's among them", () => {
  it.skipIf(kind === undefined)("lose and double nothing", { timeout: 300_000 }, () => expectSound("kafka", 50));
});
