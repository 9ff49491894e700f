/* What docs/operations.md says of a copy of the broker's disk: it is put back, and everything goes on from there. */
import { cp, rm } from "node:fs/promises";
import { join as joinPath } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { canUseJars, startBroker, type Broker } from "../../tools/kafka/broker.mjs";
import { freePort } from "../../tools/kafka/ports.mjs";
import { seriatim } from "../cli/command.ts";
import { temporaryFile, temporaryFolder } from "../support/temporary.ts";
import { join, makeSpace, sequence, type MadeSpace } from "./spaces.ts";

vi.setConfig({ testTimeout: 240_000 });

/** A broker whose disk can be copied while it is stopped. */
class Disk {
  readonly #folder = temporaryFolder();
  readonly #port: number;
  #broker: Broker | undefined;

  private constructor(port: number) {
    this.#port = port;
    onTestFinished(() => this.stop());
  }

  static async ofBroker(): Promise<Disk> {
    const disk = new Disk(await freePort());
    await disk.start();
    return disk;
  }

  get brokers(): readonly string[] {
    return [`127.0.0.1:${this.#port}`];
  }

  /** From the jars: what a container writes belongs to another user. */
  async start(): Promise<void> {
    this.#broker = await startBroker({ from: "jars", port: this.#port, dataDirectory: this.#folder });
  }

  async stop(): Promise<void> {
    await this.#broker?.stop();
    this.#broker = undefined;
  }

  async copyTo(folder: string): Promise<void> {
    await cp(joinPath(this.#folder, "data"), folder, { recursive: true, preserveTimestamps: true });
  }

  async putBack(folder: string): Promise<void> {
    await rm(joinPath(this.#folder, "data"), { recursive: true });
    await cp(folder, joinPath(this.#folder, "data"), { recursive: true, preserveTimestamps: true });
  }
}

async function put(space: MadeSpace, view: string, id: string, value: number): Promise<unknown> {
  const { coordinator } = await join(space, { view });
  const result = await coordinator.run({ agent: "a", id }, (tx) => tx.put("k/x", value));
  await coordinator.close();
  return result;
}

describe.skipIf(!canUseJars())("a copy of the broker's disk", () => {
  it("is put back: what was committed by then stands, and what saw more is refused", async () => {
    const disk = await Disk.ofBroker();
    const space = await makeSpace(disk.brokers);
    const sequencing = await sequence(space);
    const [before, after, copy] = [temporaryFile("before.db"), temporaryFile("after.db"), temporaryFile("copy")];
    await put(space, before, "first", 1);
    await sequencing.stop();
    await disk.stop();
    await disk.copyTo(copy);

    await disk.start();
    const resumed = await sequence(space, { view: sequencing.view });
    await put(space, after, "second", 2);
    await resumed.stop();
    await disk.stop();
    await disk.putBack(copy);
    await disk.start();

    // Views that hold what the log no longer does: nobody mixes two histories.
    await expect(join(space, { view: after })).rejects.toMatchObject({ code: "log_changed" });
    await expect(sequence(space, { view: sequencing.view })).rejects.toMatchObject({ code: "log_changed" });

    await sequence(space);
    expect(await put(space, before, "first", 3)).toMatchObject({ outcome: "committed", repeated: true });
    expect(await put(space, temporaryFile(), "second", 4)).toMatchObject({ outcome: "committed", repeated: false });
    const where = ["--brokers", disk.brokers.join(), "--space", space.name, "--view", before];
    const verified = await seriatim(["verify", ...where]);
    expect(verified).toMatchObject({ code: 0 });
    expect(verified.stdout).toContain("agree");
  });
});
