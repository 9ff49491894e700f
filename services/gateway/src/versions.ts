import { Failure, type Version } from "@seriatim/protocol";

export function versionText({ partition, offset }: Version): string {
  return `${partition}@${offset}`;
}

const versionForm = /^(\d{1,5})@(\d{1,16})$/;
const timeForm = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,3})?)?(Z|[+-]\d\d:\d\d)$/;

/**
 * A version as tools write it, such as `0@42`.
 * @throws Failure `invalid_argument`.
 */
export function parseVersion(text: string, name: string): Version {
  const version = versionOf(text);
  if (version !== undefined) return version;
  throw new Failure("invalid_argument", `${name} is ${JSON.stringify(text)}; a version is written such as 0@42`);
}

/**
 * A version, or a time in ISO 8601.
 * @throws Failure `invalid_argument`.
 */
export function parseAsOf(text: string | undefined): Version | Date | undefined {
  if (text === undefined) return undefined;
  const version = versionOf(text);
  if (version !== undefined) return version;
  const time = timeForm.test(text) ? new Date(text) : new Date(Number.NaN);
  if (!Number.isNaN(time.getTime())) return time;
  throw new Failure(
    "invalid_argument",
    `asOf is ${JSON.stringify(text)}; give a version, such as 0@42, or a time with its zone, such as 2026-01-31T12:00:00Z`,
  );
}

function versionOf(text: string): Version | undefined {
  const [, partition, offset] = versionForm.exec(text) ?? [];
  if (partition === undefined || !Number.isSafeInteger(Number(offset))) return undefined;
  return { partition: Number(partition), offset: Number(offset) };
}
