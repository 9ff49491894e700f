/* npm run bench:log -- [--only NAME] [--seconds N] [--json] */
import { runCommand } from "./command.ts";
import { parts } from "./parts.ts";

await runCommand({ name: "bench:log", parts });
