import { copyFileSync } from "node:fs";
import { createCoordinator } from "@seriatim/client";
import { Random } from "@seriatim/log";
import { EmbeddedSpace } from "../../../libs/seriatim/src/embedded-space.ts";
import { historyOf } from "./founding.ts";
import type { History } from "./history.ts";
import { Meddler } from "./meddler.ts";
import { Actor, handlers } from "./actor.ts";
import { together, type Statements } from "./testimony.ts";
import { Ticking } from "./ticking.ts";

/** How many coordinators there are, how many agents each has, and how many transactions each of these runs. */
const size = { coordinators: 2, lanes: 3, runs: 8 };

export interface Played {
  readonly history: History;
  readonly statements: Statements;
}

/** Agents of several coordinators on one file, all in this process and by one seed: the same every time. */
export async function play(seed: number, template: string, founded: History, path: string): Promise<Played> {
  copyFileSync(template, path);
  const random = new Random(seed);
  const ticking = new Ticking();
  const open = () => EmbeddedSpace.open(path, { socket: false, synchronous: "normal" });
  const spaces = await Promise.all(Array.from({ length: size.coordinators }, open));
  const meddling = await open();
  const meddler = new Meddler(meddling, new Random(random.word()));
  const tell = listeners(spaces);
  const actors: Actor[] = [];
  for (const [index, space] of spaces.entries()) {
    interrupt(space, tell, random, meddler);
    const appends = watchAppends(space, tell);
    let ids = 0;
    const coordinator = createCoordinator(space, {
      handlers,
      clock: ticking.now,
      schedule: ticking.schedule,
      random: () => random.word() / 2 ** 32,
      newId: () => `id-${index}-${++ids}`,
    });
    const pause = () => ticking.sleep(random.below(5));
    const untilCommit = () => Promise.race([appends.next(), ticking.sleep(random.below(100))]);
    for (let lane = 0; lane < size.lanes; lane += 1)
      actors.push(new Actor(`agent-${index}-${lane}`, coordinator, { random, pause, untilCommit }));
  }
  try {
    await Promise.all(actors.map((actor) => actor.act(size.runs)));
    return { history: historyOf(meddling, founded), statements: together(actors) };
  } finally {
    for (const space of [...spaces, meddling]) await space.close();
  }
}

/** News of each other's commits come at once, in place of by a timer. Returns what tells them. */
function listeners(spaces: readonly EmbeddedSpace[]): () => void {
  const all = new Set<() => void>();
  for (const { file } of spaces)
    file.subscribe = (listener) => {
      all.add(listener);
      return () => void all.delete(listener);
    };
  return () => queueMicrotask(() => all.forEach((listener) => listener()));
}

/** Has others commit between any two statements of a read, and more often in the midst of one that takes several. */
function interrupt({ file, view }: EmbeddedSpace, tell: () => void, random: Random, meddler: Meddler): void {
  let isAmidst = false;
  const amidst = <Parameters extends unknown[], Result>(read: (...parameters: Parameters) => Result) => {
    return (...parameters: Parameters): Result => {
      isAmidst = true;
      try {
        return read(...parameters);
      } finally {
        isAmidst = false;
      }
    };
  };
  view.scan = amidst(view.scan.bind(view));
  view.count = amidst(view.count.bind(view));
  const readNow = file.readNow.bind(file);
  file.readNow = (work) => {
    if (random.chance(isAmidst ? 0.04 : 0.005)) {
      meddler.meddle();
      tell();
    }
    return readNow(work);
  };
}

/** Whoever waits for the next append of a coordinator goes on just before it. */
function watchAppends(space: EmbeddedSpace, tell: () => void): { next(): Promise<void> } {
  let waiting: (() => void)[] = [];
  const append = space.append.bind(space);
  space.append = async (...parameters) => {
    for (const go of waiting) go();
    waiting = [];
    const appended = await append(...parameters);
    tell();
    return appended;
  };
  return { next: () => new Promise((resolve) => void waiting.push(resolve)) };
}
