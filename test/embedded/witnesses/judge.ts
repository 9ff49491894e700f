/*
 * Holds what transactions' functions were told against the log: what each read gave stood at the snapshot that its intent
 * records, the intent records it as read, and nothing of it had changed where the level promises that.
 */
import { answerOf, expectedAnswer, groundsOf } from "./expected.ts";
import { decoded, hexOf, hexOfBytes, hexRangeOf, textOf, unreadable } from "./history.ts";
import type { CommittedIntent, HexRange, History } from "./history.ts";
import type { Glimpse, Seen, Statements, Testimony, Told } from "./testimony.ts";

/** A call of a function that committed, and its intent. */
export interface Pair {
  readonly testimony: Testimony;
  readonly commit: CommittedIntent;
}

/** One sentence for each fault. */
export function faultsOf(history: History, statements: Statements): string[] {
  const { testimonies, told, glimpses } = statements;
  const tokens = new Map(testimonies.map((testimony) => [testimony.token, testimony]));
  const commits = commitsOf(history);
  return [
    ...unclaimed(commits, tokens),
    ...pairsOf(history, statements).flatMap((pair) => faultsOfPair(history, pair)),
    ...told.flatMap((each) => faultsOfRun(each, commits, tokens)),
    ...glimpses.flatMap((glimpse) => faultsOfGlimpse(history, glimpse)),
  ];
}

export function pairsOf(history: History, { testimonies }: Statements): Pair[] {
  const commits = commitsOf(history);
  return testimonies.flatMap((testimony) =>
    (commits.get(testimony.token) ?? []).map((commit): Pair => ({ testimony, commit })),
  );
}

export function faultsOfPair(history: History, { testimony, commit }: Pair): string[] {
  const { token, isolation, seen } = testimony;
  return [
    ...seen.flatMap((each) => faultsOfRead(history, testimony, each, commit)),
    ...faultsOfPoints(history, commit),
    ...faultsOfWrites(testimony, commit),
    ...faultsOfTelling(history, testimony, commit),
    ...overwritten(history, commit),
  ].map((fault) => `${token}, ${isolation}, at ${commit.offset} from ${commit.intent.snapshot}: ${fault}`);
}

/** By what their functions returned; those of intents built by hand returned nothing. */
function commitsOf({ commits }: History): Map<string, CommittedIntent[]> {
  const byToken = new Map<string, CommittedIntent[]>();
  for (const commit of commits) {
    const { result } = commit.intent;
    if (result === null) continue;
    const token = String(decoded(result));
    byToken.set(token, [...(byToken.get(token) ?? []), commit]);
  }
  return byToken;
}

function unclaimed(
  commits: ReadonlyMap<string, readonly CommittedIntent[]>,
  testimonies: ReadonlyMap<string, Testimony>,
): string[] {
  return [...commits].flatMap(([token, { length }]) => {
    if (!testimonies.has(token)) return [`${token} committed, and no function was called for it`];
    return length === 1 ? [] : [`${token} committed ${length} times`];
  });
}

/** What it gave, and whether the intent says that it was read. */
function faultsOfRead(history: History, testimony: Testimony, seen: Seen, commit: CommittedIntent): string[] {
  const faults = faultsOfAnswer(history, testimony, seen, commit.intent.snapshot);
  // At level none nothing rests on what was read.
  if (testimony.isolation === "none") return faults;
  const { keys, range } = groundsOf(history, seen, testimony.written, commit.intent.snapshot);
  const ranges = rangesOf(commit);
  for (const key of keys)
    if (!isPoint(commit, key) && !isCovered({ from: key, to: `${key}00` }, ranges))
      faults.push(`${nameOf(seen)} is not recorded, of ${textOf(key)}`);
  if (range !== undefined && !isCovered(range, ranges)) faults.push(`${nameOf(seen)} is not recorded`);
  return faults;
}

function faultsOfAnswer(history: History, testimony: Testimony, seen: Seen, snapshot: number): string[] {
  const parts = partsOf(seen).map((part) => ({
    part,
    answer: answerOf(part),
    possible: possibleAnswers(history, testimony, part, snapshot),
  }));
  const wrong = parts.filter(({ answer, possible }) => !possible.has(answer));
  // Of several keys one that could not be read is enough.
  if (seen.got === null && wrong.length < parts.length) return [];
  return wrong.map(({ part, answer, possible }) => {
    const differences = [...possible].map((each) => difference(answer, each));
    return `${nameOf(part)} gave ${differences.join(" or ")}`;
  });
}

/** Keys that were asked for together are read one by one. */
function partsOf(seen: Seen): Seen[] {
  if (seen.kind !== "get") return [seen];
  const { when, kind, keys, got } = seen;
  return keys.map((key): Seen => {
    const own = got?.filter((item) => item.key === key) ?? null;
    return { when, kind, keys: [key], got: own };
  });
}

/** At level none a read is answered by whatever was newest at some time between question and answer. */
function possibleAnswers(history: History, { isolation, written }: Testimony, seen: Seen, snapshot: number) {
  const [from, to] = isolation === "none" ? [seen.when.from, seen.when.to] : [snapshot, snapshot];
  const possible = new Set<string>();
  for (let offset = from; offset <= to; offset += 1)
    for (let own = seen.when.asked; own <= seen.when.answered; own += 1)
      possible.add(expectedAnswer(history, seen, written.slice(0, own), offset));
  return possible;
}

function faultsOfPoints(history: History, { intent: { isolation, points, snapshot } }: CommittedIntent): string[] {
  if (isolation === "none") return [];
  return points.flatMap(({ key, version }) => {
    const expected = history.at(hexOfBytes(key), snapshot)?.version ?? null;
    return version === expected ? [] : [`${key} is recorded as read at ${version}, in place of ${expected}`];
  });
}

function faultsOfWrites({ written }: Testimony, { intent: { writes } }: CommittedIntent): string[] {
  const expected = new Map(written.map(({ key, value }) => [hexOf(key), value]));
  const actual = new Map(writes.map(({ key, value }) => [hexOfBytes(key), decoded(value)]));
  const keys = [...new Set([...expected.keys(), ...actual.keys()])];
  return keys
    .filter((key) => expected.get(key) !== actual.get(key))
    .map((key) => `${textOf(key)} was written otherwise`);
}

function faultsOfTelling(history: History, { isolation, told }: Testimony, { intent }: CommittedIntent): string[] {
  return told.flatMap(({ offset, time }) => [
    ...(offset === intent.snapshot || isolation === "none" ? [] : [`it was told snapshot ${offset}`]),
    ...(history.times.get(offset) === time || isolation === "none" ? [] : [`it was told time ${time} at ${offset}`]),
  ]);
}

/** What the level promises that nobody has written between the snapshot and the intent. */
function overwritten(history: History, { offset, intent }: CommittedIntent): string[] {
  const { isolation, snapshot, points, ranges, writes } = intent;
  const checked = isolation === "none" ? [] : writes.filter(({ blind }) => !blind);
  const keys = [...checked, ...(isolation === "serializable" ? points : [])].map(({ key }) => hexOfBytes(key));
  const found = keys.filter((key) => history.isWritten(key, snapshot, offset));
  if (isolation === "serializable")
    for (const range of ranges) {
      const key = history.writtenIn(hexOfBytesRange(range), snapshot, offset);
      if (key !== undefined) found.push(key);
    }
  return found.map((key) => `${textOf(key)} had been overwritten`);
}

/** What the caller was told of its run stands in the log. */
function faultsOfRun(
  { run, token, offset, repeated, isVoid, isInvalid }: Told,
  commits: ReadonlyMap<string, readonly CommittedIntent[]>,
  testimonies: ReadonlyMap<string, Testimony>,
): string[] {
  const own = [...commits.keys()].filter((each) => each.startsWith(`${run}/`));
  if (own.length > 1) return [`${run} committed ${own.join(" and ")}`];
  if (isInvalid === true) return [`${run} asked for what is invalid`];
  if (isVoid === true) return own.map((each) => `${run} is said to have written nothing, and committed ${each}`);
  if (token === undefined) return [];
  if (offset === undefined) {
    const { seen = [], written = [] } = testimonies.get(token) ?? {};
    return seen.length + written.length > 0 || own.length > 0 ? [`${run} is said to have had nothing to decide`] : [];
  }
  if (repeated !== true && own[0] !== token) return [`${run} is said to have committed ${token}, which it has not`];
  return commits.get(token)?.[0]?.offset === offset ? [] : [`${run} is said to have committed ${token} at ${offset}`];
}

function faultsOfGlimpse(history: History, { range, at, got }: Glimpse): string[] {
  const rows = history.within(hexRangeOf(range), at);
  const expected = rows.some(([, { value }]) => value === unreadable)
    ? "unreadable"
    : rows.map(([key, { value, version }]) => `${textOf(key)}=${String(value)}@${version}`).join(" ");
  const actual = got?.map(({ key, value, version }) => `${key}=${String(value)}@${version}`).join(" ") ?? "unreadable";
  return actual === expected ? [] : [`at ${at} ${JSON.stringify(range)} gave ${difference(actual, expected)}`];
}

/** What only one of two answers has. */
function difference(actual: string, expected: string): string {
  const [got, due] = [actual.split(" "), expected.split(" ")];
  const [more, missing] = [without(got, due), without(due, got)];
  if (more === missing) return `${got.length} rows in place of ${due.length}, or in another order`;
  return `${more} in place of ${missing}`;
}

function without(rows: readonly string[], others: readonly string[]): string {
  return rows.filter((row) => !others.includes(row)).join(" ") || "nothing";
}

function nameOf(seen: Seen): string {
  return JSON.stringify({ ...seen, when: undefined, got: undefined });
}

function isPoint({ intent: { points } }: CommittedIntent, key: string): boolean {
  return points.some((point) => hexOfBytes(point.key) === key);
}

function rangesOf({ intent: { ranges } }: CommittedIntent): HexRange[] {
  return ranges.map(hexOfBytesRange);
}

function hexOfBytesRange({ from, to }: CommittedIntent["intent"]["ranges"][number]): HexRange {
  return { from: hexOfBytes(from), to: hexOfBytes(to) };
}

/** By one of them, or by several that touch. */
function isCovered({ from, to }: HexRange, ranges: readonly HexRange[]): boolean {
  let reached = from;
  for (const range of ranges.toSorted((a, b) => (a.from < b.from ? -1 : 1)))
    if (range.from <= reached && range.to > reached) reached = range.to;
  return reached >= to;
}
