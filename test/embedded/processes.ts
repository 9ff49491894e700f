import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { createCodec, linkOf, sha256, toKey, type Position } from "@seriatim/protocol";
import { expect, onTestFinished, vi } from "vitest";
import { EmbeddedSpace, type OpenOptions } from "../../libs/seriatim/src/embedded-space.ts";
import type { Role } from "../../libs/seriatim/src/embedded/link.ts";

const script = fileURLToPath(new URL("child.mjs", import.meta.url));

/** How long a condition may take, in ms. */
const patience = 20_000;

interface Report {
  readonly done: number;
  readonly role: Role;
}

interface StartOptions extends Pick<OpenOptions, "socket"> {
  readonly env?: Readonly<Record<string, string>>;
  readonly uid?: number;
}

/** An agent in a process of its own. It ends with the test. */
export class Process {
  readonly name: string;
  readonly #child: ChildProcess;
  #report: Report = { done: 0, role: "alone" };
  #isReady = false;
  #wanted = 0;

  private constructor(file: string, name: string, { env, uid, socket = true }: StartOptions) {
    this.name = name;
    this.#child = fork(script, [file, name, JSON.stringify({ socket })], {
      env: { ...process.env, ...env },
      execArgv: [],
      ...(uid === undefined ? {} : { uid }),
    });
    this.#child.on("message", (report: Report) => {
      this.#report = report;
      this.#isReady = true;
    });
    onTestFinished(() => void this.#child.kill("SIGKILL"));
  }

  static async start(file: string, name: string, options: StartOptions = {}): Promise<Process> {
    const started = new Process(file, name, options);
    await vi.waitFor(() => expect(started.#isReady).toBe(true), { timeout: patience, interval: 5 });
    return started;
  }

  /** How many commits it has told of. */
  get done(): number {
    return this.#report.done;
  }

  get isAlive(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** Tells it to go on for so many commits; does not wait. */
  begin(commits: number): void {
    this.#wanted += commits;
    this.#child.send({ commit: commits });
  }

  /** Until it has told of so many commits, of all that it was told to do unless given. */
  async reached(commits: number = this.#wanted): Promise<void> {
    await vi.waitFor(() => expect(this.done, this.name).toBeGreaterThanOrEqual(commits), {
      timeout: patience,
      interval: 5,
    });
  }

  /** Until it has told of another commit, or `ms` have gone by. */
  async moved(ms: number): Promise<void> {
    await Promise.race([once(this.#child, "message"), sleep(ms)]);
  }

  async commit(commits: number): Promise<void> {
    this.begin(commits);
    await this.reached();
  }

  async plays(role: Role): Promise<this> {
    await vi.waitFor(async () => expect(await this.role(), this.name).toBe(role), { timeout: patience, interval: 20 });
    return this;
  }

  async role(): Promise<Role> {
    const answered = once(this.#child, "message") as Promise<[Report]>;
    this.#child.send({ ask: true });
    return (await answered)[0].role;
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  async kill(): Promise<void> {
    const ended = once(this.#child, "exit");
    this.signal("SIGKILL");
    await ended;
  }

  /** Closes its coordinator, after which nothing keeps it alive. */
  async end(): Promise<number | null> {
    const ended = once(this.#child, "exit") as Promise<[number | null]>;
    this.#child.send({ close: true });
    return (await ended)[0];
  }
}

/** Until one of them holds and all others follow. */
export async function settled(processes: readonly Process[]): Promise<Process> {
  let holder: Process | undefined;
  await vi.waitFor(
    async () => {
      const roles = await Promise.all(processes.map((each) => each.role()));
      expect(roles.toSorted()).toEqual([...processes.slice(1).map(() => "follows"), "holds"]);
      holder = processes[roles.indexOf("holds")];
    },
    { timeout: patience, interval: 20 },
  );
  if (holder === undefined) throw new Error("nobody holds");
  return holder;
}

/** One that holds, and the others, which follow it. */
export async function company(file: string, names: readonly string[]): Promise<Process[]> {
  const processes: Process[] = [];
  for (const [index, name] of names.entries()) {
    const each = await Process.start(file, name);
    await each.commit(1);
    processes.push(await each.plays(index === 0 ? "holds" : "follows"));
  }
  return processes;
}

/** All that was acknowledged stands, once, and all verdicts link. Returns how many records were repeats. */
export async function expectWhole(file: string, processes: readonly Process[]): Promise<number> {
  const space = await EmbeddedSpace.open(file, { socket: false });
  try {
    for (const each of processes) expectCounted(space, each);
    expectLinked(space);
    return space.view.statistics(0).repeated;
  } finally {
    await space.close();
  }
}

function expectCounted({ view }: EmbeddedSpace, { name, done, isAlive }: Process): void {
  const counts = view.history(toKey(`counts/${name}`)).map(({ value }) => Number(Buffer.from(value ?? []).toString()));
  const last = counts.length;
  // Whoever was killed may have been so between its commit and its telling of it.
  if (isAlive) expect(last, name).toBe(done);
  else expect([done, done + 1], name).toContain(last);
  expect(counts.toReversed()).toEqual(Array.from({ length: last }, (_, index) => index + 1));
  for (let count = 1; count <= last; count += 1)
    expect(view.history(toKey(`entries/${name}/${count}`))).toHaveLength(1);
}

function expectLinked({ genesis, intents, verdicts, view }: EmbeddedSpace): void {
  const codec = createCodec(genesis, sha256);
  let position: Position = { offset: -1, chain: "\0".repeat(32) as Position["chain"] };
  for (const { value } of verdicts.readNow(0, 0, { count: 1e6, bytes: 1e9 })) {
    const verdict = codec.decodeVerdict(value);
    if (verdict === undefined) throw new Error("a verdict cannot be read");
    expect(linkOf(position, verdict)).toBe("next");
    position = { offset: verdict.offset, chain: verdict.chain };
  }
  expect(position.offset).toBe(intents.endNow(0) - 1);
  expect(view.position(0).chain).toBe(position.chain);
}
