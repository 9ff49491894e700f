import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createServer, type Server, type Socket } from "node:net";
import { fileURLToPath } from "node:url";
import { answerBytes, recordBytes, type Sent } from "./bare-pipe-sender.ts";
import type { BareRows } from "./bare-sqlite.ts";
import { microseconds, sum, type Pace } from "./workload.ts";

const script = fileURLToPath(new URL("bare-pipe-sender.js", import.meta.url));

/**
 * What a socket and group commit cost by themselves: processes that send bytes, as many as an intent has, and wait for
 * as many as its answer has, and this process, which writes the rows of all that has come in one transaction.
 */
export class BarePipe {
  readonly #server: Server;
  readonly #senders: readonly ChildProcess[];
  readonly #waiting: Socket[] = [];
  #write: (count: number) => void = () => undefined;
  #isWriting = false;

  private constructor(path: string, processes: number, agents: number) {
    this.#server = createServer((socket) => this.#accept(socket)).listen(path);
    this.#senders = Array.from({ length: processes }, () => fork(script, [path, String(agents)], { execArgv: [] }));
  }

  static async start(path: string, processes: number, agents: number): Promise<BarePipe> {
    const pipe = new BarePipe(path, processes, agents);
    await Promise.all(pipe.#senders.map((sender) => once(sender, "message")));
    return pipe;
  }

  async run(rows: BareRows, seconds: number): Promise<Pace> {
    this.#write = (count) => rows.write(count);
    const processor = process.cpuUsage();
    const answers = this.#senders.map((sender) => once(sender, "message") as Promise<[Sent]>);
    for (const sender of this.#senders) sender.send(seconds);
    const sent = (await Promise.all(answers)).map(([each]) => each);
    const own = microseconds(process.cpuUsage(processor));
    const count = sum(sent.map((each) => each.count));
    return { perSecond: count / seconds, processor: (own + sum(sent.map((each) => each.processor))) / count };
  }

  async end(): Promise<void> {
    const ended = this.#senders.map((sender) => once(sender, "exit"));
    for (const sender of this.#senders) sender.disconnect();
    await Promise.all(ended);
    this.#server.close();
  }

  #accept(socket: Socket): void {
    let bytes = 0;
    socket.on("error", () => undefined);
    socket.on("data", (chunk: Buffer) => {
      for (bytes += chunk.length; bytes >= recordBytes; bytes -= recordBytes) this.#waiting.push(socket);
      if (this.#waiting.length > 0 && !this.#isWriting) this.#writeSoon();
    });
  }

  #writeSoon(): void {
    this.#isWriting = true;
    setImmediate(() => {
      const group = this.#waiting.splice(0);
      this.#write(group.length);
      const counts = new Map<Socket, number>();
      for (const socket of group) counts.set(socket, (counts.get(socket) ?? 0) + 1);
      for (const [socket, count] of counts) socket.write(Buffer.alloc(count * answerBytes));
      this.#isWriting = false;
      if (this.#waiting.length > 0) this.#writeSoon();
    });
  }
}
