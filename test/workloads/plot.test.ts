import { readFileSync } from "node:fs";
import { sweepPlot } from "@seriatim/workloads/plot";
import { parseHTML } from "linkedom";
import { expect, it } from "vitest";
import { temporaryFile, temporaryFolder } from "../support/temporary.ts";
import { seriatim } from "./command.ts";

const points = [
  { think: 0, goodput: 2000, bound: null, abortRate: 0.25, wasted: 0 },
  { think: 10, goodput: 200, bound: 400, abortRate: 0.5, wasted: 0.25 },
  { think: 50, goodput: 80, bound: 80, abortRate: 1, wasted: 0.75 },
];

/** Where the dots of the two figures stand, from left to right: their heights. */
function heightsOf(svg: string): number[][] {
  const { document } = parseHTML(svg);
  return [...document.querySelectorAll("svg > svg")].map((figure) =>
    [...figure.querySelectorAll("path[marker-start]")].flatMap((path) =>
      [...(path.getAttribute("d") ?? "").matchAll(/[ML][\d.]+,([\d.]+)/g)].map(([, y]) => Number(y)),
    ),
  );
}

it("draws what was measured: more stands higher, and a title is a text", () => {
  const svg = sweepPlot(points, "agents < keys & more");
  expect(svg).toContain("agents &lt; keys &amp; more");
  const [goodput = [], rates = []] = heightsOf(svg);
  expect(goodput).toHaveLength(3);
  expect(goodput).toEqual(goodput.toSorted((a, b) => a - b));
  // Aborted, then thought in vain; 0 is the bottom and 1 the top.
  expect(rates).toHaveLength(6);
  const [quarter = 0, half = 0, top = 0, bottom = 0, lowQuarter = 0] = rates;
  expect(half).toBeCloseTo((top + bottom) / 2, 3);
  expect(lowQuarter).toBeCloseTo(quarter, 3);
});

it("the command draws into the file that is named", async () => {
  const file = temporaryFile("sweep.svg");
  const small = ["--agents", "2", "--transactions", "3", "--keys", "1", "--think", "0,1"];
  const { code, stderr } = await seriatim("sweep", ...small, "--plot", file);
  expect(code, stderr).toBe(0);
  const [goodput = [], rates = []] = heightsOf(readFileSync(file, "utf8"));
  expect([goodput.length, rates.length]).toEqual([2, 4]);
});

it("what is no SVG file in a folder that is there is refused before anything is run", async () => {
  for (const file of ["sweep.png", `${temporaryFolder()}/nowhere/sweep.svg`]) {
    const { code, stdout, stderr } = await seriatim("sweep", "--plot", file);
    expect([code, stdout]).toEqual([64, ""]);
    expect(stderr).toContain("--plot");
  }
});
