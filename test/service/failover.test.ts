/* Sequencers as processes that share partitions: one is killed, and another steps in. */
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { expect, it } from "vitest";
import { json, start } from "../cli/command.ts";
import { join, makeSpace, type MadeSpace } from "../faults/spaces.ts";
import { describeKafka } from "../support/kafka.ts";
import { temporaryFile } from "../support/temporary.ts";

/** Keys of the two partitions. */
const keys = ["a/1", "d/1"] as const;

class SequencerProcess {
  readonly #child: ChildProcess;
  readonly #onChange: () => void;
  assigned: readonly number[] = [];
  name = "";

  constructor({ brokers, name }: MadeSpace, standby: "all" | "none", onChange: () => void) {
    const place = ["--brokers", brokers.join(","), "--space", name, "--view", temporaryFile("view.db")];
    this.#child = start(["sequencer", ...place, "--standby", standby]);
    this.#onChange = onChange;
    this.#child.stdout?.resume();
    if (this.#child.stderr === null) throw new Error("the sequencer has no stderr");
    createInterface({ input: this.#child.stderr }).on("line", (line) => this.#read(line));
  }

  #read(line: string): void {
    if (!line.startsWith("{")) return;
    const { msg, partitions, name } = json(line);
    if (typeof name === "string") this.name = name;
    if (msg === "assigned") this.assigned = partitions as number[];
    this.#onChange();
  }

  async kill(): Promise<void> {
    const gone = once(this.#child, "exit");
    this.#child.kill("SIGKILL");
    await gone;
  }
}

/** Starts two, and resolves when each leads one of the two partitions. */
async function twoSequencers(space: MadeSpace, standby: "all" | "none"): Promise<SequencerProcess[]> {
  return new Promise((resolve) => {
    const look = (): void => {
      if (found.every(({ assigned, name }) => assigned.length === 1 && name !== "")) resolve(found);
    };
    const found = [1, 2].map(() => new SequencerProcess(space, standby, look));
  });
}

await describeKafka("two sequencers that share two partitions", (brokers) => {
  it.each(["all", "none"] as const)(
    "with standby %s, the one takes over what the other led when it is killed",
    async (standby) => {
      const space = await makeSpace(brokers, { partitions: 2 });
      const [one, two] = await twoSequencers(space, standby);
      const { coordinator } = await join(space, { beginTimeout: 60_000 });
      const put = (value: number) =>
        Promise.all(keys.map((key) => coordinator.run({ agent: "a" }, (tx) => tx.put(key, value))));
      const committed = [{ outcome: "committed" }, { outcome: "committed" }];
      expect(await put(1)).toMatchObject(committed);
      expect([...(one?.assigned ?? []), ...(two?.assigned ?? [])].toSorted((a, b) => a - b)).toEqual([0, 1]);
      await one?.kill();
      expect(await put(2)).toMatchObject(committed);
      expect(coordinator.statistics()).toMatchObject({ commits: 4, unknown: 0 });
    },
  );
});
