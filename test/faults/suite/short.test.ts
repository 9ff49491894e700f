/* Each kind of fault once at least. More by hand: npm run test:faults -- --seconds N --seed S */
import { expect, it } from "vitest";
import { availableKind } from "../../../tools/kafka/broker.mjs";
import { describeKafka } from "../../support/kafka.ts";
import { faults } from "./deck.ts";
import { lineOf } from "./report.ts";
import { runFaults } from "./run-faults.ts";

const kind = await availableKind();
const seed = 8;

await describeKafka("26, 27, 29, 37, 39: faults of every kind at once", () => {
  it.skipIf(kind === undefined)("lose and double nothing, and need nobody", { timeout: 900_000 }, async () => {
    const report = await runFaults({ seconds: 180, seed });
    process.stderr.write(`${lineOf(report)}\n`);
    expect(report.violations).toEqual([]);
    // Where the network can be made to fail.
    if ("refuse" in report.requests) expect(faults.filter((fault) => report.fired[fault] === 0)).toEqual([]);
  });
});
