import { createServer, type Server, type Socket } from "node:net";
import { Listening, type SocketFile } from "./listening.ts";
import { Peer, type PeerOptions } from "./peer.ts";

/** How often the holder looks whether the path still leads to it, in ms. */
const lookInterval = 1_000;

/** One that came after so many is left to commit directly. */
const mostPeers = 256;

export interface HolderOptions extends Omit<PeerOptions, "onEnd" | "onWatching"> {
  readonly path: string;
  /** Whether the file that the space was opened in is still at its path. */
  readonly isFileInPlace: () => boolean;
  /** A follower has begun or ceased to watch. */
  readonly onWatching: () => void;
}

/** The process that commits for all that follow it. */
export class Holder {
  /** Resolves when it no longer is the holder. */
  readonly ended: Promise<void>;
  readonly #options: HolderOptions;
  readonly #server: Server;
  readonly #peers = new Set<Peer>();
  readonly #timer: NodeJS.Timeout;
  #listening: Listening | undefined;
  #end: () => void = () => undefined;

  private constructor(options: HolderOptions) {
    this.#options = options;
    this.ended = new Promise((resolve) => (this.#end = resolve));
    this.#server = createServer((socket) => this.#accept(socket));
    this.#server.maxConnections = mostPeers;
    this.#timer = setInterval(() => this.#look(), lookInterval).unref();
  }

  /** Becomes the holder; undefined when another was faster. @throws what the file system has against it. */
  static async begin(options: HolderOptions, dead: SocketFile): Promise<Holder | undefined> {
    const holder = new Holder(options);
    try {
      holder.#listening = await Listening.begin(holder.#server, options.path, dead);
      // Later errors are those of single connections that could not be accepted.
      holder.#server.on("error", () => undefined);
      return holder.#listening === undefined ? undefined : holder;
    } finally {
      if (holder.#listening === undefined) holder.end();
    }
  }

  get hasPeers(): boolean {
    return this.#peers.size > 0;
  }

  get isWatched(): boolean {
    for (const peer of this.#peers) if (peer.isWatching) return true;
    return false;
  }

  /** Tells all that watch that there are new verdicts. */
  tell(): void {
    for (const peer of this.#peers) peer.tell();
  }

  /** Followers find another holder, or become it, and commit directly meanwhile. */
  end(): void {
    clearInterval(this.#timer);
    if (this.#listening === undefined) this.#server.close();
    else this.#listening.end();
    for (const peer of this.#peers) peer.end();
    this.#end();
  }

  #accept(socket: Socket): void {
    const { onWatching } = this.#options;
    const onEnd = (): void => {
      this.#peers.delete(peer);
      onWatching();
    };
    const peer = new Peer(socket, { ...this.#options, onWatching, onEnd });
    this.#peers.add(peer);
  }

  /** Two holders are harmless; one that nobody can find serves nobody. */
  #look(): void {
    if (this.#listening?.isInPlace !== true || !this.#options.isFileInPlace()) this.end();
  }
}
