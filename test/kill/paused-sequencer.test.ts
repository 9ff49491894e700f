/* 37: a sequencer that was paused comes back after another has taken over. */
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { expect, it, onTestFinished } from "vitest";
import { caughtUp, join, makeSpace, type MadeSpace } from "../faults/spaces.ts";
import { describeKafka } from "../support/kafka.ts";
import type { Participant } from "../support/spaces.ts";
import { temporaryFile } from "../support/temporary.ts";
import { readAll, replay } from "./replay.ts";

const main = fileURLToPath(new URL("../../libs/seriatim/dist/main.js", import.meta.url));

/** The command `seriatim sequencer`, and what it logs. */
class SequencerProcess {
  readonly #child: ChildProcess;
  readonly #messages: string[] = [];
  readonly #news: NodeJS.EventEmitter;

  constructor({ brokers, name }: MadeSpace) {
    const flags = ["sequencer", "--brokers", brokers.join(","), "--space", name, "--view", temporaryFile("s.db")];
    const child = spawn(process.execPath, [main, ...flags], { stdio: ["ignore", "ignore", "pipe"] });
    this.#child = child;
    this.#news = createInterface({ input: child.stderr });
    this.#news.on("line", (line: string) => this.#messages.push((JSON.parse(line) as { readonly msg: string }).msg));
    onTestFinished(async () => {
      const ended = child.exitCode === null && child.signalCode === null ? once(child, "exit") : undefined;
      child.kill("SIGKILL");
      await ended;
    });
  }

  get isRunning(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  async logged(message: string): Promise<void> {
    while (!this.#messages.includes(message)) await once(this.#news, "line");
  }

  pause(): void {
    this.#child.kill("SIGSTOP");
  }

  resume(): void {
    this.#child.kill("SIGCONT");
  }
}

const add = ({ coordinator }: Participant, name: string): Promise<{ readonly outcome: string }> =>
  coordinator.run({ agent: "adder", id: name, partitionKey: "n", attempts: 1000 }, async (tx) => {
    tx.put("n/count", ((await tx.get<number>("n/count")) ?? 0) + 1);
    tx.put(`n/entries/${name}`, name);
  });

await describeKafka("37: a paused sequencer", (brokers) => {
  it("repeats what nobody heeds, and follows", { timeout: 240_000 }, async () => {
    const space = await makeSpace(brokers);
    const paused = new SequencerProcess(space);
    await paused.logged("leads");
    const participants = [await join(space), await join(space)] as const;
    for (let index = 0; index < 10; index += 1) await add(participants[index % 2] as Participant, `before ${index}`);

    paused.pause();
    const waiting = Array.from({ length: 10 }, (_, index) => add(participants[index % 2] as Participant, `${index}`));
    const other = new SequencerProcess(space);
    await other.logged("leads");
    await Promise.all(waiting);
    const during = Array.from({ length: 10 }, (_, index) => add(participants[index % 2] as Participant, `on ${index}`));
    paused.resume();
    await Promise.all(during);
    await paused.logged("follows");
    await add(participants[0], "after");
    expect([paused.isRunning, other.isRunning]).toEqual([true, true]);

    const [{ coordinator, space: opened }] = participants;
    await caughtUp(participants[0]);
    expect(await coordinator.get("n/count")).toBe(31);
    expect(await coordinator.history("n/count")).toHaveLength(31);
    const replayed = await replay(opened.intents, opened.codec, 0);
    const { end } = await opened.verdicts.bounds(0);
    await readAll(opened.verdicts, 0, { from: 0, end }, (_at, value) => {
      const offset = opened.codec.decodeVerdict(value)?.offset ?? -1;
      expect(Buffer.from(value).toString("hex")).toBe(replayed.bytes.get(offset));
    });
  });
});
