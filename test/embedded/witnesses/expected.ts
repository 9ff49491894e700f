/* What a read must have been answered, if what stood at an offset is right, with own writes laid over. */
import type { History, HexRange } from "./history.ts";
import { hexOf, hexRangeOf, textOf, unreadable } from "./history.ts";
import type { Seen, Testimony } from "./testimony.ts";

type Row = readonly [key: string, value: unknown];

/** What the answer is, as a text to compare. */
export function answerOf(seen: Seen): string {
  if (seen.kind === "count") return `${seen.got}`;
  return seen.got === null ? "unreadable" : textOfRows(seen.got.map(({ key, value }) => [hexOf(key), value]));
}

/** The same as it had to be: at `offset`, with the first `own` writes of the function. */
export function expectedAnswer(history: History, seen: Seen, own: Testimony["written"], offset: number): string {
  switch (seen.kind) {
    case "get":
      return textOfRows([...new Set(seen.keys)].flatMap((key) => rowAt(history, key, own, offset)));
    case "count":
      return `${rowsIn(history, hexRangeOf(seen.range), own, offset).length}`;
    case "scan": {
      const rows = rowsIn(history, hexRangeOf(seen.range), own, offset);
      if (seen.reverse === true) rows.reverse();
      return textOfRows(rows.slice(0, seen.limit));
    }
  }
}

/** What of the key space the answer speaks of, own writes apart. */
export function groundsOf(
  history: History,
  seen: Seen,
  written: Testimony["written"],
  offset: number,
): { readonly keys: readonly string[]; readonly range?: HexRange } {
  const own = written.slice(0, seen.when.answered);
  if (seen.kind === "get") return { keys: keysRead(history, seen, own, offset) };
  const range = hexRangeOf(seen.range);
  if (seen.kind === "count") return { keys: [], range };
  const { got, limit, reverse } = seen;
  const rows = rowsIn(history, range, written.slice(0, seen.when.asked), offset);
  if (reverse === true) rows.reverse();
  const last =
    got === null
      ? rows.find(([, value]) => value === unreadable)?.[0]
      : limit !== undefined && got.length === limit
        ? hexOf(got.at(-1)?.key ?? "")
        : undefined;
  if (last === undefined) return { keys: [], range };
  return { keys: [], range: reverse === true ? { ...range, from: last } : { ...range, to: `${last}00` } };
}

/** Up to the one that could not be read. */
function keysRead(
  history: History,
  { keys, got }: Extract<Seen, { kind: "get" }>,
  own: Testimony["written"],
  offset: number,
): string[] {
  const all = [...new Set(keys)];
  const isBad = (key: string): boolean => rowAt(history, key, own, offset)[0]?.[1] === unreadable;
  const read = got === null ? all.slice(0, all.findIndex(isBad) + 1) : all;
  return read.filter((key) => own.every((write) => write.key !== key)).map(hexOf);
}

function rowAt(history: History, key: string, own: Testimony["written"], offset: number): Row[] {
  const write = own.findLast((each) => each.key === key);
  if (write !== undefined) return write.value === null ? [] : [[hexOf(key), write.value]];
  const standing = history.at(hexOf(key), offset);
  return standing === undefined ? [] : [[hexOf(key), standing.value]];
}

function rowsIn(history: History, range: HexRange, own: Testimony["written"], offset: number): Row[] {
  const rows = new Map(history.within(range, offset).map(([key, { value }]): Row => [key, value]));
  if (own.length === 0) return [...rows];
  for (const { key: text, value } of own) {
    const key = hexOf(text);
    if (key < range.from || key >= range.to) continue;
    if (value === null) rows.delete(key);
    else rows.set(key, value);
  }
  return [...rows].toSorted(([a], [b]) => (a < b ? -1 : 1));
}

function textOfRows(rows: readonly Row[]): string {
  if (rows.some(([, value]) => value === unreadable)) return "unreadable";
  return rows.map(([key, value]) => `${textOf(key)}=${JSON.stringify(value)}`).join(" ");
}
