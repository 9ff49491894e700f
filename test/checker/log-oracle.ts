import type { Told } from "./random-log.ts";

/** Whether one must come before another whatever was read. */
export type Precedes = (one: Told, other: Told) => boolean;

export const noOrder: Precedes = () => false;
export const timeOrder: Precedes = (one, other) => one.transaction.offset <= other.transaction.snapshot;
export const sessionOrder: Precedes = (one, other) =>
  one.transaction.agent === other.transaction.agent && timeOrder(one, other);

/** What a transaction asks of those done before it, as sets of bits, one a transaction. */
interface Needs {
  /** To see what it saw: who wrote it is done, who wrote the key after that is not. */
  readonly seen: number;
  readonly unseen: number;
  /** To write where it wrote: each key's versions come to be in the order of the log. */
  readonly overwritten: number;
  readonly overwriting: number;
  /** Those that must come before it whatever was read. */
  readonly preceding: number;
}

/**
 * Tries every order of the transactions, one after another: each must find the versions that it saw, and each key's
 * versions must come to be in the order of the log. What was tried in vain from a set of transactions done is not tried
 * again: the set alone says what stands where.
 */
export function isSerializable(all: readonly Told[], precedes: Precedes): boolean {
  const needs = all.map((told) => needsOf(all, told, precedes));
  const hopeless = new Set<number>();
  const canFinish = (done: number): boolean => {
    if (done === 2 ** all.length - 1) return true;
    if (hopeless.has(done)) return false;
    hopeless.add(done);
    return needs.some((need, at) => (done & (1 << at)) === 0 && canRun(need, done) && canFinish(done | (1 << at)));
  };
  return canFinish(0);
}

/** Whether the log's own order does. */
export function isSerializableInLogOrder(all: readonly Told[]): boolean {
  return all.every((told, at) => canRun(needsOf(all, told, noOrder), (1 << at) - 1));
}

/**
 * Tries every order of starts and commits: each transaction sees what had committed when it started, and commits only if
 * nobody committed a write of a key of its own since.
 */
export function allowsSnapshotIsolation(all: readonly Told[], precedes: Precedes): boolean {
  const needs = all.map((told) => needsOf(all, told, precedes));
  const hopeless = new Set<number>();
  const canFinish = (done: number, running: number): boolean => {
    if (done === 2 ** all.length - 1) return true;
    const place = done * 128 + running;
    if (hopeless.has(place)) return false;
    hopeless.add(place);
    return needs.some((need, at) => {
      const self = 1 << at;
      if ((done & self) !== 0) return false;
      if ((running & self) === 0) return canSee(need, done) && canFinish(done, running | self);
      const rivals = need.overwritten | need.overwriting;
      return (rivals & running) === 0 && canWrite(need, done) && canFinish(done | self, running & ~self);
    });
  };
  return canFinish(0, 0);
}

function canRun(need: Needs, done: number): boolean {
  return canSee(need, done) && canWrite(need, done);
}

function canSee({ seen, unseen, preceding }: Needs, done: number): boolean {
  return (done & seen) === seen && (done & unseen) === 0 && (done & preceding) === preceding;
}

function canWrite({ overwritten, overwriting }: Needs, done: number): boolean {
  return (done & overwritten) === overwritten && (done & overwriting) === 0;
}

function needsOf(all: readonly Told[], told: Told, precedes: Precedes): Needs {
  const { offset, writes } = told.transaction;
  const bits = (wanted: (other: Told) => boolean): number =>
    all.reduce((set, other, at) => (other !== told && wanted(other) ? set | (1 << at) : set), 0);
  const saw = Array.from(told.saw);
  const isRival = (other: Told): boolean => writes.some(({ key }) => wrote(other, key));
  return {
    seen: bits((other) => saw.some(([key, version]) => other.transaction.offset === version && wrote(other, key))),
    unseen: bits((other) => saw.some(([key, version]) => other.transaction.offset > version && wrote(other, key))),
    overwritten: bits((other) => isRival(other) && other.transaction.offset < offset),
    overwriting: bits((other) => isRival(other) && other.transaction.offset > offset),
    preceding: bits((other) => precedes(other, told)),
  };
}

function wrote({ transaction }: Told, key: string): boolean {
  return transaction.writes.some((write) => write.key === key);
}
