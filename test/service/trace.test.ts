/* A trace's context goes with an intent into the log, and with its verdict out of it. */
import { propagation, type TextMapPropagator } from "@opentelemetry/api";
import type { Log, LogRecord } from "@seriatim/log";
import { expect, it, onTestFinished } from "vitest";
import { join, makeSpace, sequence } from "../faults/spaces.ts";
import { describeKafka } from "../support/kafka.ts";

const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

const propagator: TextMapPropagator = {
  inject: (_, carrier, setter) => setter.set(carrier, "traceparent", traceparent),
  extract: (context) => context,
  fields: () => ["traceparent"],
};

async function recordAt(log: Log, offset: number): Promise<LogRecord | undefined> {
  for await (const { records } of log.read(new Map([[0, offset]]), { signal: new AbortController().signal }))
    return records[0];
  return undefined;
}

await describeKafka("a trace", (brokers) => {
  it("can be followed from the intent to its verdict, and has no part in it", async () => {
    const space = await makeSpace(brokers);
    await sequence(space);
    const { coordinator, space: opened } = await join(space);
    propagation.setGlobalPropagator(propagator);
    onTestFinished(() => propagation.disable());
    const traced = await coordinator.run({ agent: "a" }, (tx) => tx.put("k/1", 1));
    expect(traced).toMatchObject({ outcome: "committed", version: { offset: 1 } });
    expect((await recordAt(opened.intents, 1))?.headers).toEqual({ traceparent });
    expect((await recordAt(opened.verdicts, 1))?.headers).toMatchObject({ traceparent });
    propagation.disable();
    await coordinator.run({ agent: "a" }, (tx) => tx.put("k/1", 2));
    expect((await recordAt(opened.intents, 2))?.headers).toEqual({});
    expect((await recordAt(opened.verdicts, 2))?.headers).not.toHaveProperty("traceparent");
  });
});
