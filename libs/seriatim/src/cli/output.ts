/** Prints to stdout: data only. */
export function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** Prints one value as one line of JSON. */
export function printJson(value: unknown): void {
  print(escapeUnprintable(JSON.stringify(value)));
}

/** Prints to stderr: what is not data. */
export function say(line: string): void {
  process.stderr.write(`seriatim: ${escapeUnprintable(line)}\n`);
}

/** Prints rows with their columns aligned; numbers to the right. */
export function printTable(rows: readonly (readonly (string | number)[])[]): void {
  for (const line of aligned(rows)) print(line);
}

export function aligned(rows: readonly (readonly (string | number)[])[]): string[] {
  const widths: number[] = [];
  for (const row of rows)
    for (const [column, cell] of row.entries()) widths[column] = Math.max(widths[column] ?? 0, String(cell).length);
  return rows.map((row) =>
    row
      .map((cell, column) => padded(cell, widths[column] ?? 0))
      .join("  ")
      .trimEnd(),
  );
}

function padded(cell: string | number, width: number): string {
  return typeof cell === "number" ? String(cell).padStart(width) : cell.padEnd(width);
}

/** What a terminal would act on in place of showing it, or show in another order than it stands. */
// oxlint-disable-next-line no-control-regex
const unprintable = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/** Others wrote the keys and names that we show: they must not steer the reader's terminal. JSON stays the same JSON. */
export function escapeUnprintable(text: string): string {
  return text.replace(unprintable, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** A value as people read it: JSON, or `bytes:` and base64. */
export function valueText(value: unknown): string {
  if (value instanceof Uint8Array) return `bytes:${Buffer.from(value).toString("base64")}`;
  return escapeUnprintable(JSON.stringify(value));
}

/** A value as a part of an object that is printed as JSON. Under another name, bytes cannot be taken for a text. */
export function valueJson(value: unknown): { readonly value: unknown } | { readonly bytes: string } {
  return value instanceof Uint8Array ? { bytes: Buffer.from(value).toString("base64") } : { value };
}

const colours = { red: 31, green: 32, yellow: 33, dim: 2 } as const;

/** Coloured where stdout is a terminal that wants it; see no-color.org. */
export function coloured(text: string, colour: keyof typeof colours): string {
  const isPlain = !process.stdout.isTTY || (process.env["NO_COLOR"] ?? "") !== "" || process.env["TERM"] === "dumb";
  return isPlain ? text : `\u001b[${colours[colour]}m${text}\u001b[0m`;
}
