/* 25, 39: a worker whose logs are not those that it has read calls nothing. */
import { SimulatedLog, SqliteFile, type Log } from "@seriatim/log";
import {
  beforeGenesis,
  createCodec,
  createEffectsCodec,
  createGenesis,
  encodeGenesis,
  sha256,
  type Digest,
  type Outcome,
  type Position,
} from "@seriatim/protocol";
import { defineHandlers } from "@seriatim/effects";
import { EffectsWorker } from "@seriatim/effects-worker";
import { expect, it, onTestFinished } from "vitest";
import { temporaryFile } from "../support/temporary.ts";

const genesis = createGenesis({ partitions: 1 });
const codec = createCodec(genesis, sha256);
const first = encodeGenesis(genesis);

/** A verdicts log with one committed effect after another. */
function verdictsOf(count: number, mark = ""): Uint8Array[] {
  const chained: Uint8Array[] = [];
  let predecessor: Position = beforeGenesis;
  for (let offset = 0; offset <= count; offset += 1) {
    const args = Buffer.from(JSON.stringify(`${mark}${offset}`));
    const outcome: Outcome =
      offset === 0
        ? { kind: "genesis", genesis: first }
        : {
            kind: "committed",
            writes: [],
            effects: [{ name: "note", lane: "a", arguments: args }],
            holds: [],
            result: null,
          };
    const digest = sha256(args);
    const base = { space: genesis.space, partition: 0, offset, predecessor, digest, time: 1_000 + offset };
    const { bytes, chain } = codec.encodeVerdict({ ...base, id: `id-${offset}`, agent: "agent", outcome });
    chained.push(bytes);
    predecessor = { offset, chain };
  }
  return chained;
}

async function logOf(name: string, values: readonly Uint8Array[]): Promise<SimulatedLog> {
  const log = new SimulatedLog({ seed: 1, name });
  if (values.length > 0)
    await log.append(
      0,
      values.map((value) => ({ value })),
    );
  return log;
}

/** Runs a worker on these logs until nothing is left to do; returns what it called. */
async function called(verdicts: Log, effects: Log, path: string): Promise<unknown[]> {
  const calls: unknown[] = [];
  const handlers = defineHandlers({ note: { call: (args) => void calls.push(args) } });
  const file = SqliteFile.open(path);
  onTestFinished(() => file.close());
  const worker = await EffectsWorker.open({
    verdicts,
    effects,
    append: () => Promise.resolve(),
    codec,
    file,
    hash: sha256,
    handlers,
  });
  const stop = new AbortController();
  const running = worker.run(stop.signal);
  const end = (await verdicts.bounds(0)).end;
  // Everything was read, and nothing is open: the last verdict's effect is done, which its report says.
  await expect.poll(async () => (await effects.bounds(0)).end, { timeout: 10_000 }).toBeGreaterThanOrEqual(2 * end - 1);
  await expect.poll(() => worker.status().open.size, { timeout: 10_000 }).toBe(0);
  stop.abort();
  await running;
  file.close();
  return calls;
}

async function read(path: string): Promise<{ verdicts: SimulatedLog; effects: SimulatedLog }> {
  const verdicts = await logOf("verdicts", verdictsOf(3));
  const effects = await logOf("effects", [first]);
  expect(await called(verdicts, effects, path)).toEqual(["1", "2", "3"]);
  return { verdicts, effects };
}

async function refusal(verdicts: Log, effects: Log, path = temporaryFile()): Promise<unknown> {
  return called(verdicts, effects, path).catch((error: unknown) => error);
}

const changed = (message: RegExp): unknown =>
  expect.objectContaining({ code: "log_changed", message: expect.stringMatching(message) });

async function valuesOf(log: Log): Promise<Uint8Array[]> {
  const { end } = await log.bounds(0);
  const values: Uint8Array[] = [];
  const stop = new AbortController();
  for await (const { records } of log.read(new Map([[0, 0]]), { signal: stop.signal })) {
    values.push(...records.map(({ value }) => value));
    if (values.length >= end) stop.abort();
  }
  return values;
}

it("is refused without the genesis, or with another", async () => {
  const verdicts = await logOf("verdicts", verdictsOf(3));
  expect(await refusal(verdicts, await logOf("effects", []))).toEqual(changed(/effects is empty/));
  const other = encodeGenesis(createGenesis({ partitions: 1 }));
  expect(await refusal(verdicts, await logOf("effects", [other]))).toEqual(changed(/does not begin with/));
});

it("is refused when the effects log ends before what was read: recreated, it would have all called again", async () => {
  const path = temporaryFile();
  const { verdicts, effects } = await read(path);
  expect(await refusal(verdicts, await logOf("effects", [first]), path)).toEqual(changed(/recreated or cut/));
  const cut = (await valuesOf(effects)).slice(0, -1);
  expect(await refusal(verdicts, await logOf("effects", cut), path)).toEqual(changed(/recreated or cut/));
});

it("is refused when the effects log has grown again, to other records", async () => {
  const path = temporaryFile();
  const { verdicts, effects } = await read(path);
  const { end } = await effects.bounds(0);
  const others = [first, ...Array.from({ length: end + 3 }, (_, n) => Buffer.from(`other ${n}`))];
  expect(await refusal(verdicts, await logOf("effects", others), path)).toEqual(changed(/another record at offset/));
});

it("is refused when the verdicts are others, or end too early", async () => {
  const path = temporaryFile();
  const { effects } = await read(path);
  const others = await logOf("verdicts", verdictsOf(5, "other"));
  expect(await refusal(others, effects, path)).toEqual(changed(/another verdict at offset/));
  expect(await refusal(await logOf("verdicts", verdictsOf(1)), effects, path)).toEqual(changed(/recreated or cut/));
});

it("goes on where the same logs have grown", async () => {
  const path = temporaryFile();
  const { verdicts, effects } = await read(path);
  await verdicts.append(
    0,
    verdictsOf(5)
      .slice(4)
      .map((value) => ({ value })),
  );
  expect(await called(verdicts, effects, path)).toEqual(["4", "5"]);
});

it("passes over records of the effects log that are torn, foreign or of other arguments", async () => {
  const effectsCodec = createEffectsCodec(genesis);
  const claim = {
    kind: "claim",
    space: genesis.space,
    partition: 0,
    effect: { offset: 1, index: 0, side: "forward" },
    attempt: 1,
    worker: "other",
  } as const;
  const foreign = [
    Buffer.from("torn"),
    first,
    effectsCodec.encode({ ...claim, arguments: sha256(Buffer.from("others")) }),
    effectsCodec.encode({ ...claim, partition: 7, arguments: sha256(Buffer.from('"1"')) }),
    effectsCodec.encode({
      ...claim,
      effect: { offset: 99, index: 0, side: "undo" },
      arguments: "\x01".repeat(32) as Digest,
    }),
  ];
  const effects = await logOf("effects", [first, ...foreign]);
  expect(await called(await logOf("verdicts", verdictsOf(2)), effects, temporaryFile())).toEqual(["1", "2"]);
});
