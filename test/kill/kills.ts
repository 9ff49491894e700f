import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Attack } from "./attack.ts";
import { compareWithReplay } from "./history.ts";
import { Judge } from "./judge.ts";
import { filePlace, kafkaPlace } from "./place.ts";
import { reportOf, type Report } from "./report.ts";
import { schedule } from "./schedule.ts";

export interface KillOptions {
  readonly log: "sqlite" | "kafka";
  readonly kills: number;
  readonly seed: number;
  readonly onBlow?: (done: number) => void;
}

/** One run: a space of its own, its members killed and paused at work, and what that has come to. */
export async function runKills({ log, kills, seed, onBlow = () => undefined }: KillOptions): Promise<Report> {
  const folder = await mkdtemp(join(tmpdir(), "seriatim-kill-"));
  const begun = performance.now();
  try {
    const place = await (log === "kafka" ? kafkaPlace : filePlace)(folder);
    const attack = new Attack(place);
    try {
      const attacked = await attack.run(schedule(log, kills, seed), onBlow);
      const seconds = Math.round((performance.now() - begun) / 1000);
      const space = await place.open();
      try {
        const judgement = await new Judge(space, attacked.journal).judge();
        await attack.end();
        return reportOf({ log, seed, seconds }, attacked, judgement, await compareWithReplay(place, space));
      } finally {
        await space.close();
      }
    } finally {
      await attack.end();
      await place.end();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
