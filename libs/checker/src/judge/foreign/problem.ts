import type { ForeignHistory, HistoryTransaction } from "../../history.ts";
import type { BadRead } from "../../judgement.ts";
import type { EdgeDetail } from "../told-cycles.ts";
import { Builder } from "./builder.ts";
import { dependOnLists } from "./lists.ts";
import { Participants } from "./participants.ts";
import { dependOnRegisters, readingsOf, type Reading, type SettledReading } from "./registers.ts";
import { push } from "./steps.ts";

export interface Edge {
  readonly from: number;
  readonly to: number;
  readonly kind: number;
  readonly detail: EdgeDetail;
}

/** Two writers of one key whose order the history does not state: what follows from the one order and the other. */
export interface Choice {
  readonly first: readonly Edge[];
  readonly second: readonly Edge[];
}

/** What a history states: dependencies between its transactions, and orders of which one must be. */
export interface Problem {
  readonly edges: readonly Edge[];
  readonly choices: readonly Choice[];
}

/** All problems that a history may be: several where a read fits several writers. */
export interface Problems {
  readonly nodes: readonly HistoryTransaction[];
  readonly badReads: readonly BadRead[];
  readonly isReadOnly: boolean;
  /** Whether transactions of unknown outcome may have done what was read as absent, or not found by a predicate. */
  readonly isOpen: boolean;
  /** Whether something was read that nobody else can have done. */
  readonly isLeftOut: boolean;
  /** Whether two nodes wrote a key in common. */
  readonly writeInCommon: (one: number, other: number) => boolean;
  readonly lostUpdates: number;
  /** How many there are. They are made one by one, when asked for. */
  readonly count: number;
  /** Pairs of writers in each. */
  readonly pairs: number;
  all(): Iterable<Problem>;
}

export function problemsOf(history: ForeignHistory): Problems {
  const participants = new Participants(history);
  const lists = new Builder(participants);
  for (const [node, { steps }] of participants.counted.entries())
    for (const { key, value } of steps.faults) lists.object("internal", node, undefined, key, value);
  dependOnLists(lists, participants);
  const { readings, isOpen, isLeftOut } = readingsOf(lists, participants, history.initial);
  return {
    nodes: participants.counted.map(({ transaction }) => transaction),
    badReads: lists.badReads,
    isReadOnly: participants.isReadOnly,
    isOpen,
    isLeftOut,
    writeInCommon: (one, other) => writeInCommon(participants, one, other),
    lostUpdates: countLostUpdates(participants, readings),
    count: readings.reduce((product, { writers }) => product * writers.length, 1),
    pairs: pairsOf(participants) + lists.choices.length,
    *all() {
      for (const settled of settlements(readings)) {
        const builder = new Builder(participants);
        builder.edges.push(...lists.edges);
        builder.choices.push(...lists.choices);
        dependOnRegisters(builder, participants, history.initial, settled);
        yield builder;
      }
    },
  };
}

function writeInCommon({ counted }: Participants, one: number, other: number): boolean {
  const [mine, theirs] = [counted[one]?.steps, counted[other]?.steps];
  if (mine === undefined || theirs === undefined) return false;
  const written = [...mine.writes.keys(), ...mine.appends.keys()];
  return written.some((key) => theirs.writes.has(key) || theirs.appends.has(key));
}

function pairsOf(participants: Participants): number {
  let pairs = 0;
  for (const { length } of participants.writersByKey().values()) pairs += (length * (length - 1)) / 2;
  return pairs;
}

/** Each way to give every reading one of its writers. */
function* settlements(readings: readonly Reading[]): Generator<SettledReading[]> {
  const turns = readings.map(() => 0);
  for (;;) {
    yield readings.map(({ reader, key, predicate, writers }, at) => ({
      reader,
      key,
      predicate,
      writer: writers[turns[at] ?? 0] ?? 0,
    }));
    const last = turns.findLastIndex((turn, at) => turn + 1 < (readings[at]?.writers.length ?? 0));
    if (last === -1) return;
    turns[last] = (turns[last] ?? 0) + 1;
    turns.fill(0, last + 1);
  }
}

/** Whoever read a version and overwrote the key, but for one: the others did not see his work. */
function countLostUpdates(participants: Participants, readings: readonly Reading[]): number {
  const updaters = new Map<string, number[]>();
  for (const { reader, key, predicate, writers } of readings)
    if (predicate === null && writers.length === 1 && participants.counted[reader]?.steps.writes.has(key) === true)
      push(updaters, JSON.stringify([key, writers[0]]), reader);
  return Array.from(updaters.values()).reduce((lost, readers) => lost + new Set(readers).size - 1, 0);
}
