import * as Plot from "@observablehq/plot";
import { parseHTML } from "linkedom";

/** What was measured at one think time. Rates are parts of 1. */
export interface SweepPoint {
  /** In ms. */
  readonly think: number;
  readonly goodput: number;
  /** What is possible; null where nothing bounds it. */
  readonly bound: number | null;
  readonly abortRate: number;
  readonly wasted: number;
}

const size = { width: 440, height: 320, marginLeft: 56 } as const;
const colours = { goodput: "#1f77b4", bound: "#7f7f7f", aborted: "#d62728", wasted: "#ff7f0e" } as const;
const ground = "white";

/** Goodput and abort rate against the window, side by side, as an SVG document. */
export function sweepPlot(points: readonly SweepPoint[], title: string): string {
  const { document } = parseHTML("<html><body></body></html>");
  // The windows stand as far apart as they are listed: 0 has no place on a scale of powers.
  const windows = points.map(({ think }) => think);
  const x = { type: "point", domain: windows, label: "window: think time, ms", padding: 0.3 } as const;
  const left = Plot.plot({
    ...size,
    document,
    x,
    y: { type: "log", label: "commits a second", grid: true },
    marks: goodput(points),
  });
  const right = Plot.plot({
    ...size,
    document,
    x,
    y: { domain: [0, 100], label: "% of the attempts, of the thinking", percent: true, grid: true },
    marks: rates(points),
  });
  return page([left, right], title);
}

function goodput(points: readonly SweepPoint[]): Plot.Markish[] {
  const bounded = points.filter(({ bound }) => bound !== null);
  return [
    Plot.line(bounded, { x: "think", y: "bound", stroke: colours.bound, strokeDasharray: "4 4" }),
    Plot.text(bounded.slice(0, 1), {
      x: "think",
      y: "bound",
      text: () => "possible",
      dx: 8,
      ...labelled(colours.bound),
    }),
    Plot.line(points, { x: "think", y: "goodput", stroke: colours.goodput, marker: "dot" }),
    Plot.text(points.slice(0, 1), {
      x: "think",
      y: "goodput",
      text: () => "committed",
      dy: 26,
      ...labelled(colours.goodput),
    }),
  ];
}

function labelled(fill: string) {
  return { textAnchor: "start", fill } as const;
}

function rates(points: readonly SweepPoint[]): Plot.Markish[] {
  return (["abortRate", "wasted"] as const).flatMap((name) => {
    const colour = name === "wasted" ? colours.wasted : colours.aborted;
    const label = name === "wasted" ? "thought in vain" : "aborted";
    const dy = name === "wasted" ? 14 : -12;
    return [
      Plot.line(points, { x: "think", y: name, stroke: colour, marker: "dot" }),
      Plot.text(points.slice(-1), { x: "think", y: name, text: () => label, dy, textAnchor: "end", fill: colour }),
    ];
  });
}

/** An element, as far as it matters here: there are no types of a browser's document. */
interface Figure {
  readonly outerHTML: string;
  setAttribute(name: string, value: string): void;
}

/** Each figure is a drawing of its own: put beside one another in one that has a title. */
function page(figures: readonly Figure[], title: string): string {
  const height = size.height + 40;
  const placed = figures.map((figure, index) => {
    figure.setAttribute("x", String(index * size.width));
    figure.setAttribute("y", "36");
    return figure.outerHTML;
  });
  const width = figures.length * size.width;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="system-ui, sans-serif">`,
    `<rect width="100%" height="100%" fill="${ground}"/>`,
    `<text x="16" y="24" font-size="14" font-weight="bold">${escaped(title)}</text>`,
    ...placed,
    "</svg>\n",
  ].join("\n");
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
}
