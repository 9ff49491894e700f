/* What connects to a holder need not be a follower, and each follower gets its share. */
import { once } from "node:events";
import { createConnection } from "node:net";
import { emptyIntent } from "@seriatim/protocol";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { EmbeddedSpace } from "../../libs/seriatim/src/embedded-space.ts";
import type { Append } from "../../libs/seriatim/src/embedded/append.ts";
import { Committer } from "../../libs/seriatim/src/embedded/committer.ts";
import { FairQueue, Source } from "../../libs/seriatim/src/embedded/fair-queue.ts";
import {
  durableFrame,
  frame,
  frameKinds,
  helloFrame,
  protocolVersion,
} from "../../libs/seriatim/src/embedded/frames.ts";
import { temporaryFile } from "../support/temporary.ts";
import { identity, newLink, patience, plays } from "./links.ts";

describe("a holder", () => {
  it.each([
    ["garbage", Buffer.from("GET / HTTP/1.1\r\n\r\n")],
    ["another version", helloFrame(identity, protocolVersion - 1)],
    ["another space", helloFrame({ ...identity, space: "fedcba9876543210" })],
    ["a record without a greeting", frame(frameKinds.append, Buffer.from("one"))],
    ["a frame too large", Buffer.concat([helloFrame(identity), Buffer.from([0x7f, 0, 0, 0, frameKinds.append])])],
    ["an answer", Buffer.concat([helloFrame(identity), durableFrame([undefined])])],
  ])("drops what sends %s, and goes on", async (_, bytes) => {
    const path = temporaryFile("socket");
    const holder = newLink(path);
    await plays(holder, "holds");
    const socket = createConnection(path);
    socket.on("error", () => undefined).resume();
    socket.write(bytes);
    await once(socket, "close");
    const follower = newLink(path);
    await plays(follower, "follows");
    await follower.append("two");
    expect(holder.records).toEqual(["two"]);
  });

  it("takes of each process in its turn", () => {
    const queue = new FairQueue<string>();
    const [busy, quiet] = [new Source<string>(), new Source<string>()];
    for (let index = 0; index < 100; index += 1) queue.add(busy, `busy ${index}`);
    queue.add(quiet, "quiet 0");
    queue.add(quiet, "quiet 1");
    let room = 5;
    expect(queue.take(() => (room -= 1) >= 0)).toEqual(["busy 0", "quiet 0", "busy 1", "quiet 1", "busy 2"]);
    queue.drop(busy);
    expect(queue.isEmpty).toBe(true);
  });

  it("lets its followers go first every other time, and nobody wait in vain", () => {
    const queue = new FairQueue<string>();
    const [own, other] = [new Source<string>(), new Source<string>()];
    queue.add(own, "own 0");
    expect(queue.take(() => true, own)).toEqual(["own 0"]);
    queue.add(own, "own 1");
    queue.add(other, "other");
    expect(queue.take(() => true, own)).toEqual(["other"]);
    expect(queue.take(() => true)).toEqual(["own 1"]);
  });

  it("commits together what came while it committed", async () => {
    const groups: number[] = [];
    const releases: (() => void)[] = [];
    const committer = new Committer(
      async (take) => {
        groups.push(take().length);
        await new Promise<void>((resolve) => releases.push(resolve));
        return [];
      },
      () => false,
    );
    committer.add(newAppend());
    await vi.waitFor(() => expect(groups).toEqual([1]));
    for (let index = 0; index < 200; index += 1) committer.add(newAppend());
    releases.at(-1)?.();
    await vi.waitFor(() => expect(groups).toEqual([1, 128]));
    releases.at(-1)?.();
    await vi.waitFor(() => expect(groups).toEqual([1, 128, 72]));
    releases.at(-1)?.();
  });
});

describe("a follower's view", () => {
  it("hears of the holder's commits at once, and of those that pass it by soon", async () => {
    const path = temporaryFile();
    const [holder, follower] = [await EmbeddedSpace.open(path), await EmbeddedSpace.open(path)];
    const direct = await EmbeddedSpace.open(path, { socket: false });
    onTestFinished(() => Promise.all([holder, follower, direct].map((each) => each.close())).then(() => undefined));
    await submit(holder, "first");
    await vi.waitFor(() => expect(holder.role).toBe("holds"), patience);
    await submit(follower, "second");
    await vi.waitFor(() => expect(follower.role).toBe("follows"), patience);
    const heard: number[] = [];
    onTestFinished(follower.subscribe(({ to }) => heard.push(to)));
    for (const [index, space] of [holder, follower, direct].entries()) {
      await submit(space, `news ${index}`);
      await follower.reached({ partition: 0, offset: 3 + index });
      await vi.waitFor(() => expect(heard.at(-1)).toBe(3 + index), patience);
    }
  });
});

async function submit(space: EmbeddedSpace, id: string): Promise<void> {
  await space.append(0, record(space, id));
}

function record({ codec, genesis: { space } }: EmbeddedSpace, id: string): Uint8Array {
  return codec.encodeIntent({ ...emptyIntent, space, id, agent: "a", isolation: "none" });
}

function newAppend(): Append {
  return {
    record: Buffer.from("x"),
    isSettled: false,
    durable: () => undefined,
    failed: () => undefined,
  };
}
