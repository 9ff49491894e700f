/* What answers on the socket need not be a holder, and a holder need not answer. */
import { chownSync } from "node:fs";
import type { Socket } from "node:net";
import { Failure, type FailureCode } from "@seriatim/protocol";
import { describe, expect, it, vi } from "vitest";
import { OwnAppend } from "../../libs/seriatim/src/embedded/append.ts";
import {
  durableFrame,
  frame,
  frameKinds,
  helloFrame,
  protocolVersion,
} from "../../libs/seriatim/src/embedded/frames.ts";
import { temporaryFile } from "../support/temporary.ts";
import { identity, listen, newLink, patience, plays, recordBytes } from "./links.ts";

const impostors: Record<string, (socket: Socket) => void> = {
  "sends garbage": (socket) => void socket.write("HTTP/1.1 400 Bad Request\r\n\r\n"),
  "ends the connection": (socket) => void socket.end(),
  "speaks another version": (socket) => void socket.write(helloFrame(identity, protocolVersion - 1)),
  "has another space": (socket) => void socket.write(helloFrame({ ...identity, space: "fedcba9876543210" })),
  "has another file": (socket) => void socket.write(helloFrame({ ...identity, inode: 8n })),
};

/** A follower of a holder whose transactions fail. */
async function follow(fail: () => Promise<void>, directly?: () => Promise<void>) {
  const path = temporaryFile("socket");
  const holder = newLink(path, fail);
  await plays(holder, "holds");
  const follower = newLink(path, directly);
  await plays(follower, "follows");
  return follower;
}

describe("a follower", () => {
  it.each(Object.keys(impostors))("commits directly where what answers %s", async (what) => {
    const path = temporaryFile("socket");
    let connections = 0;
    await listen(path, (socket) => {
      connections += 1;
      impostors[what]?.(socket);
    });
    const follower = newLink(path);
    await vi.waitFor(() => expect(connections).toBeGreaterThan(1), patience);
    await follower.append("one");
    expect(follower.records).toEqual(["one"]);
    expect(follower.link.role).toBe("alone");
  });

  it.skipIf(process.getuid?.() !== 0)("gives nothing to one that is another user's", async () => {
    const path = temporaryFile("socket");
    let connections = 0;
    await listen(path, (socket) => {
      connections += 1;
      socket.write(helloFrame(identity));
    });
    chownSync(path, 65_534, 65_534);
    const follower = newLink(path);
    for (const record of ["one", "two", "three"]) await follower.append(record);
    await vi.waitFor(() => expect(follower.link.role).toBe("alone"));
    expect(follower.records).toEqual(["one", "two", "three"]);
    expect(connections).toBe(0);
  });

  it("takes the place of one that says nothing at all", async () => {
    const path = temporaryFile("socket");
    await listen(path, () => undefined);
    const follower = newLink(path);
    await follower.append("one");
    await plays(follower, "holds");
    expect(follower.records).toEqual(["one"]);
  });

  it("commits the same bytes directly when there is no answer, and follows again when there is", async () => {
    const path = temporaryFile("socket");
    let socket: Socket | undefined;
    await listen(path, (accepted) => {
      socket = accepted;
      accepted.write(helloFrame(identity));
    });
    const follower = newLink(path);
    await plays(follower, "follows");
    await follower.append("one");
    await follower.append("two");
    expect(follower.records).toEqual(["one", "two"]);
    // An answer to the first, which is settled: from now on it is believed to answer.
    socket?.write(durableFrame([undefined]));
    await vi.waitFor(() => {
      const probe = new OwnAppend(
        Buffer.from("three"),
        () => undefined,
        () => undefined,
      );
      expect(follower.link.append(probe)).toBe(true);
    }, patience);
  });

  it.each([
    ["an answer to nothing", durableFrame([undefined, undefined, undefined])],
    ["an answer of no known length", frame(frameKinds.durable, Buffer.alloc(18))],
    ["a kind of frame that there is not", frame(77 as 1)],
    ["a frame too large", Buffer.from([0xff, 0xff, 0xff, 0xff, frameKinds.news])],
    ["a failure that is none", frame(frameKinds.failed, Buffer.from([0, 0, 0, 1, 0x7b]))],
  ])("drops a holder that sends %s", async (_, answer) => {
    const path = temporaryFile("socket");
    await listen(path, (socket) => {
      socket.write(helloFrame(identity));
      socket.on("data", (chunk) => {
        if (chunk.includes("one")) socket.write(answer);
      });
    });
    const follower = newLink(path);
    await plays(follower, "follows");
    await follower.append("one");
    expect(follower.records).toEqual(["one"]);
  });

  it("does not give the holder a record that a frame cannot hold", async () => {
    const path = temporaryFile("socket");
    const holder = newLink(path);
    await plays(holder, "holds");
    const follower = newLink(path);
    await plays(follower, "follows");
    await follower.append("x".repeat(recordBytes + 1));
    await follower.append("y".repeat(recordBytes));
    expect([follower.records.length, holder.records.length]).toEqual([1, 1]);
  });
});

describe("a failure of the holder's transaction", () => {
  it.each<[FailureCode, boolean]>([
    ["unavailable", true],
    ["unavailable", false],
    ["unknown_outcome", false],
  ])("%s (can be retried: %s) is the follower's too", async (code, canRetry) => {
    const follower = await follow(async () => {
      throw new Failure(code, "the disk is full", { canRetry });
    });
    await expect(follower.append("one")).rejects.toMatchObject({ code, canRetry, message: "the disk is full" });
    expect(follower.records).toEqual([]);
  });

  it.each([new Failure("log_changed", "moved"), new Failure("closed", "closed"), new Error("a defect")])(
    "that is the holder's own (%s) is not: the follower commits directly",
    async (error) => {
      const follower = await follow(() => Promise.reject(error));
      await follower.append("one");
      expect(follower.records).toEqual(["one"]);
    },
  );

  it("stays unknown where the holder does not say, and committing directly fails as well", async () => {
    const follower = await follow(
      () => Promise.reject(new Error("a defect")),
      () => Promise.reject(new Failure("unavailable", "locked", { canRetry: true })),
    );
    await expect(follower.append("one")).rejects.toMatchObject({ code: "unknown_outcome" });
  });
});
