/*
 * Several processes on one file, one of which commits for all: what may happen to it and to its socket. Invariant 4:
 * it is only faster, never needed. Invariant 6: what is sent twice decides once.
 */
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync, chmodSync, lstatSync } from "node:fs";
import { dirname, join } from "node:path";
import { createCoordinator } from "@seriatim/client";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { EmbeddedSpace } from "../../libs/seriatim/src/embedded-space.ts";
import { socketPathOf } from "../../libs/seriatim/src/embedded/socket-path.ts";
import { temporaryFile, temporaryFolder } from "../support/temporary.ts";
import { company, expectWhole, Process, settled } from "./processes.ts";

async function newSpace(file = temporaryFile()): Promise<string> {
  await (await EmbeddedSpace.open(file)).close();
  return file;
}

describe.skipIf(process.platform === "win32")("one process commits for all", { timeout: 60_000 }, () => {
  it("is the first one, the others follow it, and it takes its socket away when it ends", async () => {
    const file = await newSpace();
    const processes = await company(file, ["a", "b", "c"]);
    for (const each of processes) each.begin(30);
    for (const each of processes) await each.reached();
    // On a busy machine it may be silent for longer than the others' patience: then some records stand twice, and decide once.
    await expectWhole(file, processes);
    expect(statSync(`${file}-socket`).mode & 0o777).toBe(0o600);
    for (const each of processes.toReversed()) expect(await each.end()).toBe(0);
    expect(existsSync(`${file}-socket`)).toBe(false);
  });

  it("is killed: the others go on, and one of them takes over", async () => {
    const file = await newSpace();
    const processes = await company(file, ["a", "b", "c"]);
    const [holder, ...others] = processes as [Process, Process, Process];
    for (const each of processes) each.begin(300);
    await holder.reached(20);
    await holder.kill();
    for (const each of others) await each.reached(each.done + 50);
    await settled(others);
    for (const each of others) await each.reached();
    await expectWhole(file, processes);
  });

  it("is paused: the others go on without it, and it comes back harmless", async () => {
    const file = await newSpace();
    const processes = await company(file, ["a", "b", "c"]);
    const [holder, ...others] = processes as [Process, Process, Process];
    // Idle, and so without the file's lock: with it, nobody could write.
    holder.signal("SIGSTOP");
    for (const each of others) each.begin(50);
    for (const each of others) await each.reached();
    await settled(others);
    holder.signal("SIGCONT");
    await holder.commit(10);
    await settled(processes);
    for (const each of processes) await each.commit(10);
    await expectWhole(file, processes);
  });

  it("is paused and continued again and again under load: no commit is lost or doubled", async () => {
    const file = await newSpace();
    const processes = await company(file, ["a", "b", "c"]);
    const [holder, ...others] = processes as [Process, Process, Process];
    for (const each of processes) each.begin(200);
    for (let round = 1; round <= 5; round += 1) {
      for (const each of others) await each.reached(round * 20);
      holder.signal("SIGSTOP");
      // Those whose records it has read and not committed, or who find it holding the lock, wait for it.
      await others[0].moved(150);
      holder.signal("SIGCONT");
    }
    for (const each of processes) await each.reached();
    await expectWhole(file, processes);
  });

  it("has left its socket behind: whoever comes next removes it", async () => {
    const file = await newSpace();
    const [first] = (await company(file, ["a"])) as [Process];
    await first.kill();
    expect(lstatSync(`${file}-socket`).isSocket()).toBe(true);
    await expectWhole(file, [first, ...(await company(file, ["b", "c"]))]);
  });

  it("has its socket removed while it is in use: nobody is held up, and they find together again", async () => {
    const file = await newSpace();
    const processes = await company(file, ["a", "b"]);
    for (const each of processes) each.begin(200);
    rmSync(`${file}-socket`);
    const late = await Process.start(file, "c");
    await late.commit(20);
    for (const each of processes) await each.reached();
    await settled([...processes, late]);
    await expectWhole(file, [...processes, late]);
  });

  it("is elected by many at once, over a socket that nobody answers", async () => {
    const file = await newSpace();
    const [dead] = (await company(file, ["dead"])) as [Process];
    const names = ["a", "b", "c", "d", "e", "f"];
    const processes = await Promise.all(names.map((name) => Process.start(file, name)));
    await dead.kill();
    for (const each of processes) each.begin(20);
    for (const each of processes) await each.reached();
    await settled(processes);
    await expectWhole(file, [...processes, dead]);
  });
});

describe.skipIf(process.platform === "win32")("without a socket", { timeout: 60_000 }, () => {
  it.each(["a folder", "a file"])("where %s is in its place: each commits by itself, and it stays", async (kind) => {
    const file = await newSpace();
    if (kind === "a folder") mkdirSync(`${file}-socket`);
    else writeFileSync(`${file}-socket`, "mine");
    const processes = await Promise.all(["a", "b"].map((name) => Process.start(file, name)));
    for (const each of processes) each.begin(50);
    for (const each of processes) await (await each.plays("alone")).reached();
    if (kind === "a file") expect(readFileSync(`${file}-socket`, "utf8")).toBe("mine");
    expect(await expectWhole(file, processes)).toBe(0);
  });

  it.skipIf(process.getuid?.() !== 0)("that another user may use: that one commits by itself", async () => {
    const file = await newSpace();
    const [holder] = (await company(file, ["a"])) as [Process];
    chmodSync(dirname(file), 0o777);
    for (const suffix of ["", "-wal", "-shm"]) chmodSync(`${file}${suffix}`, 0o666);
    const other = await Process.start(file, "b", { uid: 65_534 });
    other.begin(50);
    holder.begin(50);
    await holder.reached();
    await other.reached();
    expect(await other.role()).toBe("alone");
    await expectWhole(file, [holder, other]);
  });

  it("because it was asked for", async () => {
    const file = await newSpace();
    const processes = await Promise.all(["a", "b"].map((name) => Process.start(file, name, { socket: false })));
    for (const each of processes) each.begin(30);
    for (const each of processes) await each.reached();
    expect(existsSync(`${file}-socket`)).toBe(false);
    expect(await expectWhole(file, processes)).toBe(0);
  });

  it("because it would promise others less than they asked for", async () => {
    const file = await newSpace();
    const space = await EmbeddedSpace.open(file, { synchronous: "normal" });
    onTestFinished(() => space.close());
    const careful = await Process.start(file, "a");
    await careful.commit(1);
    await careful.plays("holds");
    await createCoordinator(space).run({ agent: "b" }, (tx) => tx.put("a/b", 1));
    expect([space.role, space.committed.records]).toEqual(["alone", 1]);
  });

  it("because neither the file's folder nor the temporary one leaves room for its path", async () => {
    const file = await newSpace(deepFile());
    const env = { TMPDIR: dirname(file) };
    const processes = await Promise.all(["a", "b"].map((name) => Process.start(file, name, { env })));
    for (const each of processes) each.begin(30);
    for (const each of processes) await (await each.plays("alone")).reached();
    expect(await expectWhole(file, processes)).toBe(0);
  });
});

describe.skipIf(process.platform === "win32")("a file in a deep folder", () => {
  it("has its socket in a folder of this user's, under a short name", async () => {
    const file = await newSpace(deepFile());
    const path = socketPathOf(file) ?? "";
    expect(dirname(path)).not.toBe(dirname(file));
    expect(statSync(dirname(path)).mode & 0o777).toBe(0o700);
    const processes = await company(file, ["a", "b"]);
    expect(lstatSync(path).isSocket()).toBe(true);
    await expectWhole(file, processes);
    for (const each of processes.toReversed()) await each.end();
    await vi.waitFor(() => expect(existsSync(path)).toBe(false));
  });
});

function deepFile(): string {
  const folder = join(temporaryFolder(), "deep".repeat(20), "deeper".repeat(20));
  mkdirSync(folder, { recursive: true });
  return join(folder, "state.db");
}
