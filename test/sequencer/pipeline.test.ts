import { createCodec, encodeGenesis, sha256, toKey, type Bytes, type Verdict } from "@seriatim/protocol";
import { decide, evolve, initialState, Pipeline } from "@seriatim/sequencer";
import type { LogRecord } from "@seriatim/log";
import { describe, expect, it } from "vitest";
import { cancel, genesisOf, otherSpace, submit } from "../core/partition.ts";

const genesis = genesisOf(1, {});
const codec = createCodec(genesis, sha256);
const rules = { genesis, codec };

function pipelineOf(name: string): Pipeline {
  return new Pipeline({ rules, partition: 0, state: initialState(genesis.limits.window), hash: sha256, name });
}

function logOf(...values: readonly Uint8Array[]): LogRecord[] {
  return values.map((value, offset) => ({ offset, time: 1_000, value, headers: {} }));
}

const intents = logOf(
  encodeGenesis(genesis),
  codec.encodeIntent(submit({ id: "one", writes: [{ key: toKey("a/x"), value: Buffer.from("1"), blind: false }] })),
  codec.encodeIntent(submit({ id: "two" })),
);

function verdictsFor(records: readonly LogRecord[]): Verdict[] {
  const state = initialState(genesis.limits.window);
  return records.map(({ offset, time, value }) => {
    const record = { offset, appendTime: time, bytes: value, digest: sha256(value) };
    const { verdict } = decide(rules, 0, state.head, state, record);
    evolve(state, verdict);
    return verdict;
  });
}

const limit = { count: 10, bytes: 100_000 };
const changed = expect.objectContaining({ code: "log_changed" });

describe("what a sequencer reads back", () => {
  it("that was written for another space or partition is none of its verdicts, even if it would follow", () => {
    const pipeline = pipelineOf("own");
    const [first] = verdictsFor(intents);
    if (first === undefined) throw new Error("the genesis has a verdict");
    for (const foreign of [
      { ...first, space: otherSpace },
      { ...first, partition: 1 },
    ]) {
      expect(pipeline.readBack(foreign, "another")).toBe("gap");
      pipeline.take(intents.slice(0, 1));
      expect(pipeline.readBack(foreign, "another")).toBe("gap");
    }
    expect(pipeline.readBack(first, "another")).toBe("next");
  });

  it("is a defect where it differs for the same record (invariant 4)", () => {
    const pipeline = pipelineOf("own");
    pipeline.take(intents);
    const [first, second] = verdictsFor(intents);
    if (first === undefined || second === undefined) throw new Error("each record has a verdict");
    pipeline.readBack(first, "another");
    const other = { ...second, chain: "\x07".repeat(32) as Bytes };
    expect(() => pipeline.readBack(other, "another")).toThrow(/diverged in partition 0: .* offset 1/);
  });

  it("means a changed log where it names another record (invariant 9)", () => {
    const pipeline = pipelineOf("own");
    pipeline.take(logOf(encodeGenesis(genesis), codec.encodeIntent(cancel({ id: "another" }))));
    const [first, second] = verdictsFor(intents);
    if (first === undefined || second === undefined) throw new Error("each record has a verdict");
    pipeline.readBack(first, "another");
    expect(() => pipeline.readBack(second, "another")).toThrow(changed);
  });

  it("means a changed log where the record that it named comes later, and is another or is not there", () => {
    const another = codec.encodeIntent(cancel({ id: "another" }));
    const logs = [logOf(encodeGenesis(genesis), another, another), intents.toSpliced(1, 1).toSpliced(0, 1)];
    for (const log of logs) {
      const pipeline = pipelineOf("own");
      for (const verdict of verdictsFor(intents.slice(0, 2))) pipeline.readBack(verdict, "another");
      expect(() => pipeline.take(log)).toThrow(changed);
    }
    const pipeline = pipelineOf("own");
    for (const verdict of verdictsFor(intents.slice(0, 2))) pipeline.readBack(verdict, "another");
    pipeline.take(intents);
    expect(pipeline.pending.count).toBe(1);
  });
});

describe("what is decided and not read back", () => {
  it("weighs as much as it keeps: its verdicts, and the records that they take values from", () => {
    const pipeline = pipelineOf("own");
    const points = Array.from({ length: 500 }, (_, index) => ({ key: toKey(`a/${index}`), version: null }));
    const wide = codec.encodeIntent(submit({ id: "wide", points }));
    pipeline.take(logOf(encodeGenesis(genesis), wide));
    expect(pipeline.pending.bytes).toBeGreaterThan(wide.length);
    for (const verdict of verdictsFor(logOf(encodeGenesis(genesis), wide))) pipeline.readBack(verdict, "own");
    expect(pipeline.pending).toEqual({ count: 0, bytes: 0, sent: 0 });
  });
});

describe("of two sequencers that began to send at once", () => {
  it("the one whose verdict was applied last goes on, and the other stands back", () => {
    const [one, other] = [pipelineOf("one"), pipelineOf("other")];
    for (const pipeline of [one, other]) {
      pipeline.take(intents);
      pipeline.sendAgain();
      expect(pipeline.toSend(limit)).toHaveLength(3);
    }
    // Each was first once.
    const senders = ["one", "other", "one"];
    for (const [index, verdict] of verdictsFor(intents).entries())
      for (const pipeline of [one, other]) pipeline.readBack(verdict, senders[index]);
    expect([one.isLeading, other.isLeading]).toEqual([true, false]);
  });
});
