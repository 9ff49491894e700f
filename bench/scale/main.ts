/* npm run bench:scale -- [--only NAME] [--seconds N] [--versions N] [--json] */
import { runCommand } from "../log/command.ts";
import { failover, move } from "./moves.ts";
import { overload } from "./overload.ts";
import { partitions } from "./partitions.ts";
import { view } from "./view.ts";

const versions = 100_000;

await runCommand({ name: "bench:scale", parts: [partitions, move, failover, overload, view], versions });
