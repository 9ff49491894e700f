import { rangeRw, rangeWr, rw, wr, ww } from "../../graph/graph.ts";
import type { Value } from "../../history.ts";
import { eachPair, edge, type Builder } from "./builder.ts";
import type { Participants, Writer } from "./participants.ts";
import type { Edge } from "./problem.ts";
import { push, type OutsideRead } from "./steps.ts";

/** What was there before the first transaction, in place of a node. */
export const initially = -1;

/** A read of one key, by itself or through a predicate, and who may have written what it saw. */
export interface Reading {
  readonly reader: number;
  readonly key: string;
  readonly predicate: string | null;
  /** Nodes, or {@link initially}. */
  readonly writers: readonly number[];
}

/**
 * The readings of a history's registers, and whether some of them may show what a transaction of unknown outcome did.
 * What no writer fits is objected to, and left out.
 */
export function readingsOf(
  builder: Builder,
  participants: Participants,
  initial: ReadonlyMap<string, Value>,
): Pick<Readings, "readings" | "isOpen" | "isLeftOut"> {
  const source = new Readings(builder, participants, initial);
  for (const [node, { steps, status }] of participants.counted.entries())
    if (status === "committed") for (const read of steps.reads) source.add(node, read);
  return source;
}

class Readings {
  readonly readings: Reading[] = [];
  isOpen = false;
  /** Whether one was left out that nothing else can explain. */
  isLeftOut = false;
  readonly #builder: Builder;
  readonly #participants: Participants;
  readonly #initial: ReadonlyMap<string, Value>;
  readonly #writers: ReadonlyMap<string, readonly number[]>;

  constructor(builder: Builder, participants: Participants, initial: ReadonlyMap<string, Value>) {
    this.#builder = builder;
    this.#participants = participants;
    this.#initial = initial;
    this.#writers = participants.writersByKey();
  }

  add(reader: number, read: OutsideRead): void {
    if (read.kind === "value") this.#value(reader, read.key, read.value, null);
    if (read.kind === "predicate") this.#predicate(reader, read);
  }

  #value(reader: number, key: string, value: Value | null, predicate: string | null): void {
    const all = this.#participants.writersOf(key, value);
    const writers = all
      .filter(({ isIntermediate }) => !isIntermediate)
      .flatMap(({ participant }) => this.#participants.nodeOf(participant) ?? [])
      .filter((node) => node !== reader);
    if ((this.#initial.get(key) ?? null) === value) writers.unshift(initially);
    // A value that was read tells that its writer committed; that nothing was there tells nobody's outcome.
    const isOpen = value === null && this.#participants.mayHaveLeft(key, (left) => left === null);
    this.isOpen ||= isOpen;
    if (writers.length > 0) this.readings.push({ reader, key, predicate, writers });
    else if (isOpen) this.isLeftOut = true;
    else this.#object(reader, key, value, all);
  }

  #object(reader: number, key: string, value: Value | null, writers: readonly Writer[]): void {
    const intermediate = writers.find((writer) => writer.isIntermediate && this.#counts(writer));
    if (intermediate !== undefined) this.#builder.object("G1b", reader, intermediate, key, value);
    else if (writers.some((writer) => this.#counts(writer)))
      this.#builder.object("internal", reader, writers[0], key, value);
    else this.#builder.object(writers.length === 0 ? "thin_air" : "G1a", reader, writers[0], key, value);
  }

  #counts({ participant }: Writer): boolean {
    return this.#participants.nodeOf(participant) !== undefined;
  }

  /** A predicate sees a version of every key; of one that it did not find, any that it does not match. */
  #predicate(reader: number, { predicate, found, own }: OutsideRead & { kind: "predicate" }): void {
    for (const [key, value] of found) if (!own.has(key)) this.#value(reader, key, value, predicate.text);
    for (const key of new Set([...this.#writers.keys(), ...this.#initial.keys()])) {
      if (found.has(key) || own.has(key)) continue;
      const hidden = (value: Value | null): boolean => value === null || !predicate.matches(value);
      const writers = (this.#writers.get(key) ?? []).filter(
        (node) => node !== reader && hidden(this.#participants.counted[node]?.steps.writes.get(key) ?? null),
      );
      if (hidden(this.#initial.get(key) ?? null)) writers.unshift(initially);
      const isOpen = this.#participants.mayHaveLeft(key, hidden);
      this.isOpen ||= isOpen;
      if (writers.length > 0) this.readings.push({ reader, key, predicate: predicate.text, writers });
      else if (isOpen) this.isLeftOut = true;
      else this.#builder.object("thin_air", reader, undefined, key, null);
    }
  }
}

/** A reading of which the writer is settled. */
export interface SettledReading extends Omit<Reading, "writers"> {
  readonly writer: number;
}

/** The dependencies on registers, and of each key's writers the pairs whose order is not known. */
export function dependOnRegisters(
  builder: Builder,
  participants: Participants,
  initial: ReadonlyMap<string, Value>,
  readings: readonly SettledReading[],
): void {
  const byKey = new Map<string, SettledReading[]>();
  for (const reading of readings) push(byKey, reading.key, reading);
  const names = new Names(participants, initial);
  for (const [key, writers] of participants.writersByKey())
    dependOnKey(builder, names, key, writers, byKey.get(key) ?? []);
}

function dependOnKey(
  builder: Builder,
  names: Names,
  key: string,
  writers: readonly number[],
  readings: readonly SettledReading[],
): void {
  const readers = new Map<number, SettledReading[]>();
  for (const reading of readings) {
    push(readers, reading.writer, reading);
    if (reading.writer === initially)
      for (const writer of writers) builder.depend(reading.reader, writer, kindRw(reading), names.of(reading, writer));
    else builder.depend(reading.writer, reading.reader, kindWr(reading), names.of(reading, undefined));
  }
  const inOrder = (before: number, after: number): Edge[] => [
    edge(before, after, ww, names.overwrite(key, before, after)),
    ...(readers.get(before) ?? [])
      .filter(({ reader }) => reader !== after)
      .map((reading) => edge(reading.reader, after, kindRw(reading), { ...names.of(reading, after), inferred: true })),
  ];
  eachPair(writers, (a, b) => builder.choose(inOrder(a, b), inOrder(b, a)));
}

function kindWr({ predicate }: SettledReading): number {
  return predicate === null ? wr : rangeWr;
}

function kindRw({ predicate }: SettledReading): number {
  return predicate === null ? rw : rangeRw;
}

/** What edges are called. */
class Names {
  readonly #participants: Participants;
  readonly #initial: ReadonlyMap<string, Value>;

  constructor(participants: Participants, initial: ReadonlyMap<string, Value>) {
    this.#participants = participants;
    this.#initial = initial;
  }

  of({ key, predicate, writer }: SettledReading, after: number | undefined) {
    const before = this.#left(key, writer);
    const written = after === undefined ? before : this.#left(key, after);
    const change = after === undefined ? null : changeOf(before, written);
    return { key, predicate, before, after: after === undefined ? null : written, change };
  }

  overwrite(key: string, before: number, after: number) {
    const [old, written] = [this.#left(key, before), this.#left(key, after)];
    return { key, before: old, after: written, change: changeOf(old, written), inferred: true };
  }

  #left(key: string, node: number): Value | null {
    if (node === initially) return this.#initial.get(key) ?? null;
    return this.#participants.counted[node]?.steps.writes.get(key) ?? null;
  }
}

function changeOf(before: Value | null, after: Value | null): "insert" | "update" | "delete" {
  if (after === null) return "delete";
  return before === null ? "insert" : "update";
}
