import { connect, createServer, type AddressInfo, type Server, type Socket } from "node:net";
import { Random } from "@seriatim/log";
import { Frames } from "./frames.ts";

/** What may happen to a request to append records (Kafka's Produce). */
export const appendFaults = [
  /** The connection ends after the broker has appended, in place of its answer. */
  "cut after",
  /** The connection ends, and the broker never gets the request. */
  "cut before",
  /** The broker appends, and its answer never arrives; the connection lives on. */
  "drop",
  /** The answer comes late, and with it all that follow on its connection. */
  "delay",
] as const;
export type AppendFault = (typeof appendFaults)[number];

type OtherFault = "cut other" | "delay other";

export interface ProxyFaults {
  /** The chance of each fault for each append. At most 1 together. */
  readonly append: Readonly<Partial<Record<AppendFault, number>>>;
  /** The chance that the connection ends in place of any other request. */
  readonly cutOther?: number;
  /** The chance that the answer to any other request comes late. */
  readonly delayOther?: number;
  /** The longest delay, in ms. */
  readonly delay?: number;
}

export interface ProxyOptions {
  /** The broker's port on 127.0.0.1. */
  readonly target: number;
  /** The proxy's own, which the broker has to advertise; a free one unless given. */
  readonly port?: number;
  readonly seed: number;
}

interface Fated {
  readonly fate: AppendFault | OtherFault | "pass";
  /** In ms. */
  readonly delay: number;
}

const produce = 0;
const calm: ProxyFaults = { append: {} };
const defaultDelay = 100;

/**
 * Stands between clients and one broker, on the loopback, and does to their connections what networks do. The seed
 * determines what happens to the nth request; which that is, the clients do.
 */
export class FaultyProxy {
  readonly #options: ProxyOptions;
  readonly #server: Server;
  readonly #random: Random;
  readonly #sockets = new Set<Socket>();
  #faults = calm;
  #refusing = false;
  /** How often each fault has fired. */
  readonly counts: Record<AppendFault | OtherFault | "refuse", number> = {
    "cut after": 0,
    "cut before": 0,
    drop: 0,
    delay: 0,
    "cut other": 0,
    "delay other": 0,
    refuse: 0,
  };

  private constructor(options: ProxyOptions) {
    this.#options = options;
    this.#random = new Random(options.seed);
    this.#server = createServer((socket) => this.#accept(socket));
  }

  static async listen(options: ProxyOptions): Promise<FaultyProxy> {
    const proxy = new FaultyProxy(options);
    await new Promise<void>((resolve, reject) => {
      proxy.#server.once("error", reject);
      proxy.#server.listen(options.port ?? 0, "127.0.0.1", resolve);
    });
    return proxy;
  }

  get address(): string {
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** From now on; without an argument nothing happens any more. */
  setFaults(faults: ProxyFaults = calm): void {
    this.#faults = faults;
  }

  /** Ends every connection, and refuses new ones until told otherwise. */
  refuse(isRefusing = true): void {
    this.#refusing = isRefusing;
    if (isRefusing) this.cut();
  }

  /** Ends every connection; new ones are welcome. */
  cut(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  async close(): Promise<void> {
    this.cut();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #accept(client: Socket): void {
    if (this.#refusing) {
      this.counts.refuse += 1;
      client.destroy();
      return;
    }
    const broker = connect(this.#options.target, "127.0.0.1");
    const end = (): void => {
      client.destroy();
      broker.destroy();
    };
    for (const socket of [client, broker]) {
      this.#sockets.add(socket);
      socket.on("error", end);
      socket.on("close", () => {
        this.#sockets.delete(socket);
        end();
      });
    }
    new Conversation(client, broker, end).begin((apiKey) => this.#fate(apiKey));
  }

  #fate(apiKey: number): Fated {
    const { append, delay = defaultDelay } = this.#faults;
    const fate = apiKey === produce ? this.#draw(append) : this.#drawOther();
    if (fate !== "pass") this.counts[fate] += 1;
    const isLate = fate === "delay" || fate === "delay other";
    return { fate, delay: isLate ? 1 + this.#random.below(delay) : 0 };
  }

  #drawOther(): OtherFault | "pass" {
    const { cutOther = 0, delayOther = 0 } = this.#faults;
    if (this.#random.chance(cutOther)) return "cut other";
    return delayOther > 0 && this.#random.chance(delayOther) ? "delay other" : "pass";
  }

  #draw(chances: ProxyFaults["append"]): AppendFault | "pass" {
    let drawn = this.#random.word() / 2 ** 32;
    for (const fault of appendFaults) {
      drawn -= chances[fault] ?? 0;
      if (drawn < 0) return fault;
    }
    return "pass";
  }
}

/** One client's connection, in whole requests and answers: each begins with its length, and has a number to match them. */
class Conversation {
  readonly #client: Socket;
  readonly #broker: Socket;
  readonly #end: () => void;
  readonly #fates = new Map<number, Fated>();
  /** Answers leave in order, late ones too. */
  #sending: Promise<void> = Promise.resolve();

  constructor(client: Socket, broker: Socket, end: () => void) {
    this.#client = client;
    this.#broker = broker;
    this.#end = end;
  }

  begin(fateOf: (apiKey: number) => Fated): void {
    const requests = new Frames((frame) => this.#request(frame, fateOf(frame.readInt16BE(4))));
    const answers = new Frames((frame) => this.#answer(frame));
    this.#client.on("data", (data: Buffer) => requests.push(data));
    this.#broker.on("data", (data: Buffer) => answers.push(data));
  }

  #request(frame: Buffer, fated: Fated): void {
    if (fated.fate === "cut before" || fated.fate === "cut other") return this.#end();
    if (fated.fate !== "pass") this.#fates.set(frame.readInt32BE(8), fated);
    this.#broker.write(frame);
  }

  #answer(frame: Buffer): void {
    const { fate, delay } = this.#fates.get(frame.readInt32BE(4)) ?? { fate: "pass", delay: 0 };
    if (fate === "cut after") return this.#end();
    if (fate === "drop") return;
    this.#sending = this.#sending
      .then(() => (delay === 0 ? undefined : new Promise<void>((resolve) => setTimeout(resolve, delay))))
      .then(() => void (this.#client.destroyed || this.#client.write(frame)));
  }
}
