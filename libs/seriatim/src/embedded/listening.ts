import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { chmodSync, linkSync, lstatSync, renameSync, rmSync } from "node:fs";
import type { Server } from "node:net";
import { isCode } from "./codes.ts";

const isPipe = process.platform === "win32";

/** Tells one socket file from another that takes its place; undefined when there is none. */
export type SocketFile = string | undefined;

export function socketFileAt(path: string): SocketFile {
  if (isPipe) return undefined;
  const found = lstatSync(path, { bigint: true, throwIfNoEntry: false });
  return found === undefined ? undefined : `${found.dev} ${found.ino} ${found.mtimeNs}`;
}

/**
 * Why nobody at `path` can be followed, as its owner tells; undefined when somebody may. Whoever is followed is believed,
 * and told what is to be committed: it must be this user, also in a folder where others can put a socket.
 */
export function absenceAt(path: string): "nobody" | "barred" | undefined {
  if (isPipe) return undefined;
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined) return "nobody";
  return found.uid === process.getuid?.() ? undefined : "barred";
}

/** Socket files of this process, to be removed when it ends. */
const listening = new Set<Listening>();
let isWatchingExit = false;

/** A server to which a path leads. */
export class Listening {
  readonly #server: Server;
  readonly #path: string;
  readonly #file: SocketFile;

  private constructor(server: Server, path: string) {
    this.#server = server;
    this.#path = path;
    this.#file = isPipe ? undefined : socketFileAt(path);
    listening.add(this);
    if (!isWatchingExit) process.once("exit", removeAll);
    isWatchingExit = true;
  }

  /**
   * Makes `path` lead to `server`, unless another was faster: then undefined. It listens under a name of its own first,
   * so that nobody meets a socket that is not ready or open to others, and so that two who both found `dead` at the
   * path do not remove each other's.
   * @param dead what was at the path and did not answer.
   * @throws what the file system has against it.
   */
  static async begin(server: Server, path: string, dead: SocketFile): Promise<Listening | undefined> {
    if (isPipe) {
      await listen(server, path);
      return new Listening(server, path);
    }
    const ownName = `${path}.${randomBytes(4).toString("hex")}`;
    await listen(server, ownName);
    try {
      chmodSync(ownName, 0o600);
      if (socketFileAt(path) !== dead) return undefined;
      if (dead === undefined) linkSync(ownName, path);
      else if (lstatSync(path).isSocket()) renameSync(ownName, path);
      else throw new Error(`${path} is no socket, and so none of ours`);
      return new Listening(server, path);
    } catch (error) {
      if (isCode(error, "EEXIST")) return undefined;
      throw error;
    } finally {
      rmSync(ownName, { force: true });
    }
  }

  /** Whether the path still leads to this server: anybody may have removed or replaced it. */
  get isInPlace(): boolean {
    return isPipe || socketFileAt(this.#path) === this.#file;
  }

  end(): void {
    this.remove();
    this.#server.close();
    listening.delete(this);
  }

  remove(): void {
    if (!isPipe && this.isInPlace) rmSync(this.#path, { force: true });
  }
}

function removeAll(): void {
  for (const each of listening) each.remove();
}

async function listen(server: Server, path: string): Promise<void> {
  server.listen({ path, exclusive: true });
  server.unref();
  await once(server, "listening");
}
