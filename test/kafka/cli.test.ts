/* The commands on a real Kafka, sequencers and commands each a process of its own. */
import { expect, test } from "vitest";
import { end, json, jsonLines, Lines, promptly, seriatim, start } from "../cli/command.ts";
import { describeKafka, freshTopic } from "../support/kafka.ts";
import { temporaryFile } from "../support/temporary.ts";

const uuid = expect.stringMatching(/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/) as string;

await describeKafka("the command line on Kafka", (brokers) => {
  interface Space {
    readonly name: string;
    /** With a view of its own. */
    readonly flags: () => string[];
  }

  async function madeSpace(partitions: number): Promise<Space> {
    const name = freshTopic("cli");
    const common = ["--brokers", brokers.join(","), "--space", name];
    const init = await seriatim(["init", ...common, "--partitions", String(partitions), "--replication", "1"]);
    expect(init).toMatchObject({ code: 0, stderr: "" });
    return { name, flags: () => [...common, "--view", temporaryFile("view.db")] };
  }

  async function startSequencer({ flags }: Space, ...args: string[]): Promise<ReturnType<typeof start>> {
    const sequencer = start(["sequencer", ...flags(), "--json", ...args]);
    sequencer.stderr?.resume();
    expect(json(await new Lines(sequencer).next())).toMatchObject({ ready: true, name: uuid, space: uuid });
    return sequencer;
  }

  test("inits at once make one space, and one of them made it", async () => {
    const name = freshTopic("cli");
    const args = ["init", "--brokers", brokers.join(","), "--space", name, "--partitions", "3", "--json"];
    const made = await Promise.all([1, 2, 3].map(() => seriatim(args)));
    expect(made.map(({ code, stderr }) => ({ code, stderr }))).toEqual(made.map(() => ({ code: 0, stderr: "" })));
    const spaces = made.map(({ stdout }) => json(stdout));
    expect(new Set(spaces.map(({ space }) => space)).size).toBe(1);
    expect(spaces.filter((space) => space["made"] === true)).toHaveLength(1);
    expect(await seriatim([...args.slice(0, 5), "--partitions", "2"])).toMatchObject({
      code: 70,
      stderr: expect.stringContaining("exists with 3 partitions, not 2") as string,
    });
  });

  test("a space that nobody made, and one that nobody sequences, are told apart", async () => {
    const missing = ["--brokers", brokers.join(","), "--space", freshTopic("missing")];
    const get = await seriatim(["get", "a/b", ...missing, "--view", temporaryFile()]);
    expect(get).toMatchObject({ code: 70, stderr: expect.stringContaining("seriatim init") as string });
    const { flags } = await madeSpace(1);
    const waiting = await seriatim(["get", "a/b", "--wait", "0.1", ...flags()]);
    expect(waiting).toMatchObject({ code: 2, stderr: expect.stringContaining("seriatim sequencer") as string });
    const status = json((await seriatim(["status", "--json", ...flags()])).stdout);
    expect(status["partitions"]).toMatchObject([{ applied: -1, lag: 1, missing: false, time: null, commits: 0 }]);
  });

  test("commands write and read through a sequencer, each with a view of its own", async () => {
    const space = await madeSpace(2);
    const { flags } = space;
    const sequencer = await startSequencer(space);
    const tail = start(["tail", "--json", ...flags()]);
    const lines = new Lines(tail);
    const seen = [json(await lines.next()), json(await lines.next())];
    expect(seen.map(({ outcome }) => outcome)).toEqual(["genesis", "genesis"]);

    // Of two partitions, "a" stands in 0 and "d" in 1.
    const first = json((await seriatim(["put", "a/1", "1", "--json", ...flags()])).stdout);
    const second = json((await seriatim(["put", "d/1", "[2]", "--json", ...flags()])).stdout);
    expect(new Set([first["version"], second["version"]])).toEqual(new Set(["0@1", "1@1"]));
    expect(json(await lines.next())).toMatchObject({ version: first["version"], writes: [{ key: "a/1" }] });
    expect(json(await lines.next())).toMatchObject({ version: second["version"], writes: [{ key: "d/1" }] });

    expect(jsonLines((await seriatim(["scan", "", "--json", ...flags()])).stdout)).toEqual([
      { key: "a/1", version: first["version"], value: 1 },
      { key: "d/1", version: second["version"], value: [2] },
    ]);
    expect(await seriatim(["scan", "", "--as-of", "0@1", ...flags()])).toMatchObject({ code: 64 });
    expect((await seriatim(["get", "d/1", ...flags()])).stdout).toBe(`d/1  ${String(second["version"])}  [2]\n`);
    expect(await seriatim(["put", "a/1", "3", "--if-version", "absent", ...flags()])).toMatchObject({ code: 1 });
    const status = json((await seriatim(["status", "--json", ...flags()])).stdout);
    expect(status["partitions"]).toMatchObject([
      { partition: 0, lag: 0, missing: false },
      { partition: 1, lag: 0, missing: false },
    ]);
    expect(await seriatim(["get", "a/1", ...flags().slice(0, 4), "--view", await embedded()])).toMatchObject({
      code: 70,
      stderr: expect.stringContaining("holds the view of space") as string,
    });

    for (const [child, signal] of [
      [tail, "SIGINT"],
      [sequencer, "SIGTERM"],
    ] as const) {
      const { code, ms } = await end(child, signal);
      expect(code).toBe(0);
      expect(ms).toBeLessThan(promptly);
    }
  });

  test("a sequencer decides the partitions that it is given, and refuses those that there are not", async () => {
    const space = await madeSpace(2);
    await startSequencer(space, "--partitions", "1");
    const status = json((await seriatim(["status", "--json", ...space.flags()])).stdout);
    expect(status["partitions"]).toMatchObject([{ partition: 0, lag: 1 }, { partition: 1 }]);
    const refused = await seriatim(["sequencer", ...space.flags(), "--partitions", "2", "--log-level", "silent"]);
    expect(refused).toMatchObject({ code: 64, stderr: expect.stringContaining("has no partition 2") as string });
  });
});

async function embedded(): Promise<string> {
  const path = temporaryFile();
  await seriatim(["init", "--file", path]);
  return path;
}
