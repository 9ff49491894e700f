import { decodeGenesis, createCodec, createGenesis, Failure, isFailure, sha256 } from "@seriatim/protocol";
import { logNames, type LogName } from "../space/source.ts";
import { exportVersion, type HeaderLine } from "./lines.ts";
import type { LineContext } from "./read-lines.ts";
import { fromBase64 } from "./text-bytes.ts";

export interface Header extends LineContext {
  readonly logs: readonly LogName[];
  readonly starts: ReadonlyMap<number, number>;
}

const names: ReadonlySet<string> = new Set(["seriatim", "version", "source", "logs", "genesis", "starts"]);
const usualLogs: readonly LogName[] = ["intents", "verdicts"];

/** Whether a line is the first one of an export. */
export function isHeader(line: unknown): line is HeaderLine {
  return typeof line === "object" && line !== null && "seriatim" in line && line.seriatim === "export";
}

/** @throws Failure `unreadable` when the header is not one that this version reads; `unknown_rules`. */
export function headerOf(line: unknown, path: string): Header {
  if (!isHeader(line)) throw unreadable(path, 'it does not begin with a line {"seriatim":"export","version":1}');
  const { version }: { readonly version: unknown } = line;
  if (version !== exportVersion)
    throw unreadable(
      path,
      `it has version ${JSON.stringify(version)}, and this version of Seriatim reads ${exportVersion}`,
    );
  const other = Object.keys(line).find((name) => !names.has(name));
  if (other !== undefined) throw unreadable(path, `its first line has a field ${JSON.stringify(other)}`);
  const { logs = usualLogs, starts = { "0": 0 } } = line;
  if (!Array.isArray(logs) || !logs.every((name) => logNames.includes(name)))
    throw unreadable(path, `its logs are none of ${logNames.join(", ")}`);
  return { logs, starts: startsOf(starts, path), hash: sha256, ...genesisOf(line, path) };
}

function startsOf(starts: unknown, path: string): Map<number, number> {
  const entries = typeof starts === "object" && starts !== null ? Object.entries(starts) : [];
  const isRight = entries.every(
    ([partition, start]: [string, unknown]) => /^\d{1,5}$/.test(partition) && Number.isSafeInteger(start),
  );
  if (entries.length === 0 || !isRight) throw unreadable(path, "its starts are not offsets by partition");
  return new Map(entries.map(([partition, start]: [string, unknown]) => [Number(partition), start as number]));
}

function genesisOf({ genesis }: HeaderLine, path: string): Pick<LineContext, "codec" | "hasGenesis"> {
  if (genesis === undefined) return { codec: createCodec(createGenesis({ partitions: 1 }), sha256), hasGenesis: false };
  const bytes = typeof genesis === "string" ? fromBase64(genesis) : undefined;
  if (bytes === undefined) throw unreadable(path, "its genesis is not base64");
  try {
    return { codec: createCodec(decodeGenesis(bytes), sha256), hasGenesis: true };
  } catch (error) {
    if (isFailure(error, "not_a_space")) throw unreadable(path, "its genesis is damaged");
    throw error;
  }
}

function unreadable(path: string, why: string): Failure {
  return new Failure("unreadable", `${path} is no export of Seriatim that can be read: ${why}; see docs/export.md`);
}
