import { BoxOffice } from "@seriatim/workloads";
import { afterEach, beforeEach, expect, it } from "vitest";

const seeds = [1, 2, 3];

let office: BoxOffice;
beforeEach(async ({ task }) => {
  office = await BoxOffice.open(Number(task.name.match(/seed (\d+)/)?.[1] ?? 1));
});
afterEach(() => office.close());

/** One call, for no longer than 100 ms: its status, or that there was no answer. */
async function call(key: string): Promise<number | "no answer"> {
  try {
    const response = await fetch(new URL("/hold", office.url), {
      method: "POST",
      headers: { "Idempotency-Key": `"${key}"` },
      body: JSON.stringify({ show: "s", seat: "seat-1", agent: key }),
      signal: AbortSignal.timeout(100),
    });
    return response.status;
  } catch {
    return "no answer";
  }
}

it.each(seeds)("has every fault, and acts once for each key all the same (seed %d)", async () => {
  const answers = new Set<number | "no answer">();
  for (let number = 0; number < 60; number += 1) {
    // Until it is served, as a worker would.
    for (;;) {
      const answer = await call(`key-${number}`);
      answers.add(answer);
      if (answer === 201) break;
    }
  }
  await expect.poll(() => office.report().toCome, { timeout: 30_000 }).toBe(0);
  const { held, keys, requests, suppressed, faults } = office.report();
  expect({ held, keys }).toEqual({ held: 60, keys: 60 });
  expect([...answers]).toEqual(expect.arrayContaining([201, 500, 503, "no answer"]));
  expect(Math.min(...Object.values(faults))).toBeGreaterThan(0);
  // Whatever it did not fail it acted on, or suppressed.
  expect(requests - faults.failed - faults.stalled).toBe(60 + suppressed);
  expect(suppressed).toBeGreaterThan(0);
});
