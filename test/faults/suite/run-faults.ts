import { rmSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Crew } from "../../kill/crew.ts";
import type { Fault } from "./deck.ts";
import { faultPlace } from "./place.ts";
import { firedOf, reportOf, type Report } from "./report.ts";
import { Storm } from "./storm.ts";
import { judgeAll } from "./verdict.ts";

export interface FaultOptions {
  /** How long faults fall at least; each kind falls once at least. */
  readonly seconds: number;
  readonly seed: number;
  /** Of a broker that is there; one is started unless given. */
  readonly brokers?: readonly string[] | undefined;
  readonly onFault?: (fault: Fault) => void;
}

/** One run: a space of its own, faults while its crew is at work, and what that has come to. */
export async function runFaults(options: FaultOptions): Promise<Report> {
  const { seconds, seed, brokers, onFault = () => undefined } = options;
  const folder = await mkdtemp(join(tmpdir(), "seriatim-faults-"));
  const removeAtExit = (): void => rmSync(folder, { recursive: true, force: true });
  process.once("exit", removeAtExit);
  const begun = performance.now();
  try {
    const place = await faultPlace(folder, seed, brokers);
    const crew = new Crew(place);
    try {
      const storm = new Storm(place, crew, seed);
      crew.start();
      await storm.blow(seconds, onFault);
      await crew.end("agent", "viewer");
      const verdict = await judgeAll(place, crew, folder);
      const took = Math.round((performance.now() - begun) / 1000);
      return reportOf({ seed, seconds: took, fired: firedOf(storm.fired) }, place, crew, verdict);
    } finally {
      await crew.end();
      await place.end();
    }
  } finally {
    process.off("exit", removeAtExit);
    await rm(folder, { recursive: true, force: true });
  }
}
