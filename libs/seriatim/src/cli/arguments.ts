import { toKey, type Version } from "@seriatim/protocol";
import type { Faults } from "./faults.ts";

/** What Node puts in place of bytes of the command line that are no UTF-8. */
const replacement = "\uFFFD";

/** Checks that a key is one; the coordinator takes it as text. */
export function checkKey(key: string, faults: Faults): void {
  if (faults.from(() => toKey(key)) !== undefined) checkText("key", key, faults);
}

export function checkText(name: string, text: string, faults: Faults): void {
  if (text.includes(replacement))
    faults.add(
      `${name} ${JSON.stringify(text)} holds U+FFFD, which stands for bytes that are no UTF-8; give it in UTF-8`,
    );
}

/** A value from JSON. `undefined` when it is none. */
export function parseValue(text: string, faults: Faults): unknown {
  checkText("the value", text, faults);
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    faults.add(`the value is not JSON (${reason}); ${remedy(text)}`);
    return undefined;
  }
}

function remedy(text: string): string {
  if (/^[-+]?(nan|infinity|undefined)$/i.test(text.trim())) return `JSON has no ${text.trim()}: write null, or a text`;
  return `a text is written with its quotes: '"text"'`;
}

const versionForm = /^(\d{1,5})@(\d{1,16})$/;

/** A version as `P@N`. */
export function parseVersion(text: string, name: string, faults: Faults): Version | undefined {
  const [, partition, offset] = versionForm.exec(text) ?? [];
  if (partition !== undefined && Number.isSafeInteger(Number(offset)))
    return { partition: Number(partition), offset: Number(offset) };
  faults.add(`${name} is ${JSON.stringify(text)}; a version is written PARTITION@OFFSET, such as 0@42`);
  return undefined;
}

const timeForm = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,3})?)?(Z|[+-]\d\d:\d\d)$/;

/** A version as `P@N`, or a time in ISO 8601; undefined when not given, or at fault. */
export function parseAsOf(text: string | undefined, faults: Faults): Version | Date | undefined {
  if (text === undefined) return undefined;
  if (versionForm.test(text)) return parseVersion(text, "--as-of", faults);
  const time = timeForm.test(text) ? new Date(text) : new Date(Number.NaN);
  if (!Number.isNaN(time.getTime())) return time;
  faults.add(
    `--as-of is ${JSON.stringify(text)}; give a version, such as 0@42, or a time with its zone, such as 2026-01-31T12:00:00Z`,
  );
  return undefined;
}
