/* A bare consume-and-produce of kafkajs in a process of its own: pipe.js BROKERS FROM TO. Says "ready" when it runs. */
import { startPipe } from "./bare-kafka.ts";

const [brokers = "", from = "", to = ""] = process.argv.slice(2);
await startPipe(brokers.split(","), from, to);
process.stdout.write("ready\n");
