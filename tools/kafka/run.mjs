// npm run kafka: a real Apache Kafka on the loopback until Ctrl-C.
import { parseArgs } from "node:util";
import { startBroker } from "./broker.mjs";

const usage = `Runs one Apache Kafka on 127.0.0.1 until Ctrl-C.

  npm run kafka -- [options]

  --port PORT         port to serve on (default 9092)
  --data DIR          folder that keeps the log (default: a temporary one, removed at the end)
  --from docker|jars  Docker's image or Maven's jars (default: Docker where an engine answers)
  --help

Exit codes: 0 ended by Ctrl-C, 1 could not start, 64 bad arguments.
`;

class BadArguments extends Error {}

/** @param {string[]} args */
function readOptions(args) {
  const { values } = parseArgs({
    args,
    options: {
      port: { type: "string", default: "9092" },
      data: { type: "string" },
      from: { type: "string" },
      help: { type: "boolean", default: false },
    },
  });
  const port = Number(values.port);
  if (!Number.isInteger(port) || port < 1 || port > 65_535) throw new BadArguments(`--port ${values.port} is no port`);
  const { from } = values;
  if (from !== undefined && from !== "docker" && from !== "jars") {
    throw new BadArguments(`--from ${from}: only docker or jars`);
  }
  return { help: values.help, port, dataDirectory: values.data, from };
}

async function main() {
  let options;
  try {
    options = readOptions(process.argv.slice(2));
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n\n${usage}`);
    return 64;
  }
  if (options.help) {
    process.stdout.write(usage);
    return 0;
  }
  const asked = new Promise((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.once(signal, resolve);
  });
  process.stderr.write("Starting Kafka...\n");
  const starting = startBroker(options);
  const first = await Promise.race([starting, asked.then(() => undefined)]);
  if (first === undefined) {
    process.stderr.write("Ending it as soon as it has started; Ctrl-C again to not wait.\n");
    await (await starting).stop();
    return 0;
  }
  const [address] = first.brokers;
  process.stdout.write(`Kafka serves at ${address}. Next: npx seriatim init --brokers ${address} --space demo\n`);
  process.stderr.write(`From ${first.kind}. Ctrl-C ends it.\n`);
  await asked;
  await first.stop();
  return 0;
}

main().then(
  (code) => (process.exitCode = code),
  (error) => {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  },
);
