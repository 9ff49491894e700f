import { dropTimerWarning } from "../cli/warnings.ts";

// Loaded into every child process, before its own module: the child ends when its parent does, whatever the parent dies
// of. The parent ends a child in the same way, by closing the channel between them.

/** How long a child may take to end by itself, in ms. */
const patience = 1000;

dropTimerWarning();

process.once("disconnect", () => {
  process.kill(process.pid, "SIGTERM");
  setTimeout(() => process.exit(1), patience).unref();
});

// The channel by itself keeps no process alive.
process.channel?.unref();
