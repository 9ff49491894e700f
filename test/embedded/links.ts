import { once } from "node:events";
import { createServer, type Server, type Socket } from "node:net";
import { expect, onTestFinished, vi } from "vitest";
import type { Appended } from "@seriatim/client";
import { OwnAppend } from "../../libs/seriatim/src/embedded/append.ts";
import { Committer } from "../../libs/seriatim/src/embedded/committer.ts";
import { Link } from "../../libs/seriatim/src/embedded/link.ts";

export const identity = { space: "0123456789abcdef", inode: 7n };
export const recordBytes = 10_000;
export const patience = { timeout: 10_000, interval: 5 };

/** A link whose committer commits by `commit`, and what it has committed directly; each record at the next offset. */
export function newLink(path: string, commit: (records: readonly string[]) => Promise<void> = async () => undefined) {
  const records: string[] = [];
  const committer = new Committer(
    async (take) => {
      const taken = take().map((bytes) => Buffer.from(bytes).toString());
      await commit(taken);
      const base = records.push(...taken) - taken.length;
      return taken.map((_, index) => ({ offset: base + index, time: 7, isCommitted: true }));
    },
    () => false,
  );
  const link = new Link({
    path,
    identity,
    committer,
    recordBytes,
    isFileInPlace: () => true,
    onNews: () => undefined,
    onChange: () => undefined,
  });
  onTestFinished(() => link.end());
  link.begin();
  const append = (text: string): Promise<Appended | undefined> =>
    new Promise((resolve, reject) => {
      const own = new OwnAppend(Buffer.from(text), resolve, reject);
      if (!link.append(own)) committer.add(own);
    });
  return { link, records, append };
}

export async function plays({ link }: ReturnType<typeof newLink>, role: Link["role"]): Promise<void> {
  await vi.waitFor(() => expect(link.role).toBe(role), patience);
}

/** Listens at a path and answers as `answer` does. */
export async function listen(path: string, answer: (socket: Socket) => void): Promise<Server> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined);
    answer(socket);
  });
  server.listen(path);
  await once(server, "listening");
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return server;
}
