/* 5: whoever folds the view is killed in the middle of it, fifty times in all, and each time all of it agrees. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Random, SqliteFile, SqliteLog } from "@seriatim/log";
import {
  createCodec,
  decodeGenesis,
  emptyIntent,
  encodeGenesis,
  sha256,
  toKey,
  type RecordCodec,
} from "@seriatim/protocol";
import { EmbeddedSequencer } from "@seriatim/sequencer";
import { View } from "@seriatim/view";
import { expect, it, onTestFinished } from "vitest";
import { EmbeddedSpace } from "../../libs/seriatim/src/embedded-space.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { compareView } from "./history.ts";
import { withView } from "./place.ts";
import { Replay } from "./replay.ts";

const child = fileURLToPath(new URL("fold.mjs", import.meta.url));
/** Of each of the two ways. */
const kills = 25;
/** Several batches for who decides them, and one or more, with those that a kill has left, for who follows. */
const recordsEach = 1_000;
/** So many of these that a view without any of them is loaded in several large transactions. */
const batchesBehind = 30;
const keys = 500;
const limit = { timeout: 240_000 };

/** A file of logs that grows before each kill. */
class Load {
  readonly file: SqliteFile;
  readonly intents: SqliteLog;
  readonly codec: RecordCodec;
  readonly #random = new Random(5);
  #count = 0;

  private constructor(file: SqliteFile, intents: SqliteLog, codec: RecordCodec) {
    this.file = file;
    this.intents = intents;
    this.codec = codec;
  }

  static async on(path: string): Promise<Load> {
    await (await EmbeddedSpace.open(path)).close();
    const file = SqliteFile.open(path);
    onTestFinished(() => file.close());
    const intents = await SqliteLog.open(file, "intents");
    const genesis = intents.readNow(0, 0, { count: 1, bytes: 1 })[0]?.value ?? new Uint8Array();
    return new Load(file, intents, createCodec(decodeGenesis(genesis), sha256));
  }

  async grow(): Promise<void> {
    const records = Array.from({ length: recordsEach }, () => ({ value: this.#intent() }));
    await this.file.transaction(() => this.intents.appendNow(0, records));
  }

  /** Writes one key or deletes it; every tenth is refused, for what it has read was written since. */
  #intent(): Uint8Array {
    const number = (this.#count += 1);
    const key = toKey(`k/${this.#random.below(keys)}`);
    const value = this.#random.chance(0.1) ? null : Buffer.from(`${number} ${"x".repeat(this.#random.below(200))}`);
    return this.codec.encodeIntent({
      ...emptyIntent,
      space: this.codec.genesis.space,
      id: `intent ${number}`,
      agent: "load",
      points: number % 10 === 0 ? [{ key, version: null }] : [],
      writes: [{ key, value, blind: true }],
    });
  }
}

/** Starts the child, and kills it once it has begun so many transactions. Whether that came before its end. */
async function killWhileFolding(args: readonly string[], begun: number): Promise<boolean> {
  const folder = spawn(process.execPath, [child, ...args], { stdio: ["ignore", "pipe", "inherit"] });
  const ended = once(folder, "close");
  let heard = 0;
  folder.stdout.on("data", (data: Buffer) => {
    heard += data.length;
    if (heard >= begun) folder.kill("SIGKILL");
  });
  await ended;
  return folder.signalCode === "SIGKILL";
}

async function expectAgreement(path: string, replayed: Replay): Promise<void> {
  const differences: string[] = [];
  await withView(path, (view) => compareView(path, view, 0, replayed, differences));
  expect(differences).toEqual([]);
}

it("deciding and folding one file", limit, async () => {
  const path = `${temporaryFolder()}/state.db`;
  const load = await Load.on(path);
  const replayed = new Replay(load.codec, 0);
  const random = new Random(1);
  let killed = 0;
  for (let round = 0; killed < kills && round < kills * 8; round += 1) {
    await load.grow();
    if (await killWhileFolding(["decide", path], 1 + random.below(3))) killed += 1;
    await replayed.read(load.intents);
    await expectAgreement(path, replayed);
  }
  expect(killed).toBe(kills);
});

it("following the verdicts into a view", limit, async () => {
  const folder = temporaryFolder();
  const [path, viewPath] = [`${folder}/state.db`, `${folder}/view.db`];
  const load = await Load.on(path);
  await emptyView(viewPath, load);
  const replayed = new Replay(load.codec, 0);
  const random = new Random(2);
  let killed = 0;
  for (let round = 0; killed < kills && round < kills * 8; round += 1) {
    await load.grow();
    await decideAll(load);
    if (await killWhileFolding(["follow", path, viewPath], random.chance(0.2) ? 2 : 1)) killed += 1;
    await replayed.read(load.intents);
    await expectAgreement(viewPath, replayed);
  }
  expect(killed).toBe(kills);
});

it("making a view anew from far behind, alone and beside another that does the same", limit, async () => {
  const folder = temporaryFolder();
  const [path, viewPath] = [`${folder}/state.db`, `${folder}/view.db`];
  const load = await Load.on(path);
  for (let batch = 0; batch < batchesBehind; batch += 1) await load.grow();
  await decideAll(load);
  const replayed = new Replay(load.codec, 0);
  await replayed.read(load.intents);
  const end = replayed.verdicts.at(-1)?.offset ?? 0;
  for (const begun of [1, 2]) {
    await emptyView(viewPath, load);
    expect(await killWhileFolding(["follow", path, viewPath], begun)).toBe(true);
    await expectAgreement(viewPath, replayed);
    expect(await appliedIn(viewPath)).toBeLessThan(end);
    const begin = (): Promise<boolean> => killWhileFolding(["follow", path, viewPath], Infinity);
    const victim = killWhileFolding(["follow", path, viewPath], begun);
    expect(await Promise.all([begin(), begin(), victim])).toMatchObject([false, false, expect.any(Boolean)]);
    await expectAgreement(viewPath, replayed);
    expect(await appliedIn(viewPath)).toBe(end);
  }
});

async function emptyView(path: string, { codec }: Load): Promise<void> {
  for (const ending of ["", "-wal", "-shm"]) rmSync(`${path}${ending}`, { force: true });
  const file = SqliteFile.open(path);
  const view = await View.open(file);
  await file.transaction(() => view.bind(encodeGenesis(codec.genesis)));
  file.close();
}

function appliedIn(path: string): Promise<number> {
  return withView(path, (view) => view.applied(0));
}

async function decideAll({ file, intents, codec }: Load): Promise<void> {
  const verdicts = await SqliteLog.open(file, "verdicts");
  const view = await View.open(file);
  const sequencer = new EmbeddedSequencer({ intents, verdicts, view, codec, hash: sha256 });
  while ((await file.transaction(() => sequencer.decideSome())).more);
}
