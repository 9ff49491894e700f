import { Command, CommanderError } from "commander";
import { exitCodes, exitCodesHelp } from "./cli/exit-codes.ts";
import { reportError } from "./cli/report-error.ts";
import { version } from "./cli/version.ts";
import { dropTimerWarning } from "./cli/warnings.ts";
import { anomaliesCommand } from "./commands/anomalies.ts";
import { checkCommand } from "./commands/check.ts";
import { benchCommand } from "./commands/bench.ts";
import { bookingCommand } from "./commands/booking.ts";
import { decisionsCommand } from "./commands/decisions.ts";
import { deleteCommand } from "./commands/delete.ts";
import { demoCommand } from "./commands/demo.ts";
import { exportCommand } from "./commands/export.ts";
import { effectsCommand } from "./commands/effects.ts";
import { effectsWorkerCommand } from "./commands/effects-worker.ts";
import { getCommand } from "./commands/get.ts";
import { historyCommand } from "./commands/history.ts";
import { initCommand } from "./commands/init.ts";
import { labCommand } from "./commands/lab.ts";
import { mcpCommand } from "./commands/mcp.ts";
import { putCommand } from "./commands/put.ts";
import { scanCommand } from "./commands/scan.ts";
import { sequencerCommand } from "./commands/sequencer.ts";
import { backupCommand } from "./commands/backup.ts";
import { statusCommand } from "./commands/status.ts";
import { watchCommand } from "./commands/watch.ts";
import { verifyCommand } from "./commands/verify.ts";
import { sweepCommand } from "./commands/sweep.ts";
import { tailCommand } from "./commands/tail.ts";

const commands = [
  demoCommand,
  bookingCommand,
  anomaliesCommand,
  labCommand,
  benchCommand,
  decisionsCommand,
  sweepCommand,
  initCommand,
  sequencerCommand,
  effectsWorkerCommand,
  effectsCommand,
  getCommand,
  scanCommand,
  historyCommand,
  putCommand,
  deleteCommand,
  tailCommand,
  statusCommand,
  backupCommand,
  verifyCommand,
  watchCommand,
  checkCommand,
  exportCommand,
  mcpCommand,
];

dropTimerWarning();

/** How long what a command left open may keep the process alive after it, in ms. */
const lingering = 500;

function program(): Command {
  const root = new Command("seriatim")
    .description("Serializable transactions for AI agents that share state.")
    .version(version())
    .configureOutput({ outputError: (text, write) => write(text.replace(/^error: /, "seriatim: ")) })
    .exitOverride()
    // A flag belongs to the command that it follows: some have commands below them with flags of the same name.
    .enablePositionalOptions()
    .showHelpAfterError("Run `seriatim --help` for the commands.")
    .addHelpText("after", exitCodesHelp);
  for (const make of commands) root.addCommand(adopted(make(), root, "seriatim"));
  return root;
}

/** Gives a command, and those under it, what all of them share. */
function adopted(command: Command, parent: Command, path: string): Command {
  const name = `${path} ${command.name()}`;
  command.copyInheritedSettings(parent);
  command.option("--debug", "print an error's stack and causes");
  command.showHelpAfterError(`Run \`${name} --help\` for its arguments and flags.`);
  for (const child of command.commands) adopted(child, command, name);
  return command;
}

/** A reader that has seen enough, such as `head`, closes the pipe: that is no fault, and changes no answer. */
function endWithReader(stream: NodeJS.WriteStream): void {
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE") process.exit(process.exitCode ?? exitCodes.done);
    throw error;
  });
}

function exitCodeOfParser({ code, exitCode }: CommanderError): number {
  return exitCode === 0 && code !== "commander.help" ? exitCodes.done : exitCodes.badArguments;
}

async function main(): Promise<void> {
  endWithReader(process.stdout);
  endWithReader(process.stderr);
  process.on("uncaughtException", (error) => process.exit(reportError(error)));
  try {
    await program().parseAsync();
  } catch (error) {
    process.exitCode = error instanceof CommanderError ? exitCodeOfParser(error) : reportError(error);
  }
  setTimeout(() => process.exit(), lingering).unref();
}

void main();
