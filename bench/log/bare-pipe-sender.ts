/* A process that sends records to a socket, so many at once, each as soon as the one before it is answered. */
import { createConnection } from "node:net";
import { microseconds } from "./workload.ts";

export const recordBytes = 265;
export const answerBytes = 22;

export interface Sent {
  readonly count: number;
  /** Processor time, in µs. */
  readonly processor: number;
}

const [path, agents] = process.argv.slice(2);

if (path !== undefined && process.send !== undefined) begin(path, Number(agents), process.send.bind(process));

function begin(at: string, atOnce: number, tell: (message: unknown) => void): void {
  const socket = createConnection({ path: at });
  const record = Buffer.alloc(recordBytes, 1);
  let answered = 0;
  let bytes = 0;
  let isSending = false;
  socket.on("connect", () => tell("ready"));
  socket.on("data", (chunk: Buffer) => {
    for (bytes += chunk.length; bytes >= answerBytes; bytes -= answerBytes) {
      if (!isSending) continue;
      answered += 1;
      socket.write(record);
    }
  });
  process.on("message", (seconds: number) => {
    const processor = process.cpuUsage();
    answered = 0;
    isSending = true;
    for (let count = 0; count < atOnce; count += 1) socket.write(record);
    setTimeout(() => {
      isSending = false;
      const sent: Sent = { count: answered, processor: microseconds(process.cpuUsage(processor)) };
      tell(sent);
    }, seconds * 1000);
  });
  process.on("disconnect", () => socket.destroy());
}
