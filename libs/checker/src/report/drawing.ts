import type { DependencyKind } from "../judgement.ts";
import { escaped } from "./markup.ts";
import type { Report, ReportedCycle, ReportedTransaction } from "./report.ts";

/** Colours that differ in lightness too, on white as on black. */
export const kindColours: Readonly<Record<DependencyKind, string>> = {
  ww: "#b45309",
  wr: "#2563eb",
  rw: "#dc2626",
  session: "#6b7280",
  time: "#6b7280",
};

const width = 760;
const node = { width: 150, height: 46 };
const margin = 48;

interface Place {
  readonly x: number;
  readonly y: number;
}

/** How high a cycle's drawing is: the more transactions, the wider their circle. */
function heightOf({ transactions }: ReportedCycle): number {
  return transactions.length <= 2 ? 230 : Math.min(900, 300 + 40 * transactions.length);
}

/** All cycles of a report below one another, as a file of its own. */
export function cyclesSvg({ cycles, headline }: Report): string {
  let top = 56;
  const drawn = cycles.map((cycle, index) => {
    const part = `<g transform="translate(0 ${top})">${titleOf(cycle, index)}${drawCycle(cycle, index)}</g>`;
    top += heightOf(cycle) + 40;
    return part;
  });
  const shown = headline.length > 110 ? `${headline.slice(0, 109)}…` : headline;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${top}" width="${width}" height="${top}" font-family="system-ui, sans-serif">`,
    `<rect width="100%" height="100%" fill="#fff"/>`,
    `<text x="20" y="32" font-size="13" font-weight="600" fill="#111">${escaped(shown)}</text>`,
    ...drawn,
    "</svg>",
    "",
  ].join("\n");
}

function titleOf({ anomaly, component, transactions }: ReportedCycle, index: number): string {
  const among = component > transactions.length ? ` of ${component} that hang together` : "";
  return `<text x="20" y="14" font-size="13" fill="#444">Cycle ${index + 1}: ${anomaly}, ${transactions.length} transactions${among}</text>`;
}

/** One cycle as a drawing to be put into a page. */
export function cycleSvg(cycle: ReportedCycle, index: number): string {
  return `<svg viewBox="0 0 ${width} ${heightOf(cycle)}" role="img" aria-label="cycle ${index + 1}">${drawCycle(cycle, index)}</svg>`;
}

function drawCycle(cycle: ReportedCycle, index: number): string {
  const { transactions, dependencies } = cycle;
  const places = transactions.map((_, at) => placeOf(at, transactions.length, heightOf(cycle)));
  const edges = dependencies.map(({ kind, key }, at) => {
    const [from, to] = [places[at], places[(at + 1) % places.length]];
    return from === undefined || to === undefined ? "" : edgeOf(from, to, { kind, key, name: `${index}-${at}` });
  });
  const nodes = transactions.map((transaction, at) =>
    nodeOf(transaction, places[at] ?? { x: 0, y: 0 }, `${index}-${at}`),
  );
  return `${markersOf(index)}${edges.join("")}${nodes.join("")}`;
}

function placeOf(at: number, count: number, height: number): Place {
  if (count <= 2) return { x: at === 0 ? margin + node.width / 2 : width - margin - node.width / 2, y: height / 2 };
  const angle = (2 * Math.PI * at) / count - Math.PI / 2;
  const [radiusX, radiusY] = [width / 2 - margin - node.width / 2, height / 2 - margin];
  return { x: round(width / 2 + radiusX * Math.cos(angle)), y: round(height / 2 + radiusY * Math.sin(angle)) };
}

function markersOf(index: number): string {
  const markers = Object.entries(kindColours).map(
    ([kind, colour]) =>
      `<marker id="arrow-${index}-${kind}" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="7" markerHeight="7" orient="auto"><path d="M0 0 10 5 0 10z" fill="${colour}"/></marker>`,
  );
  return `<defs>${markers.join("")}</defs>`;
}

interface Edge {
  readonly kind: DependencyKind;
  readonly key: string | null;
  readonly name: string;
}

/** A bow, so that an edge and the one back do not cover each other; it begins and ends at the boxes' borders. */
function edgeOf(from: Place, to: Place, { kind, key, name }: Edge): string {
  const index = name.split("-")[0] ?? "0";
  const [dx, dy] = [to.x - from.x, to.y - from.y];
  const length = Math.hypot(dx, dy) || 1;
  const bow = Math.min(80, length / 4);
  const middle = { x: (from.x + to.x) / 2 + (dy / length) * bow, y: (from.y + to.y) / 2 - (dx / length) * bow };
  const [start, end] = [borderOf(from, middle), borderOf(to, middle)];
  // Beside the bow's middle, on its outer side.
  const label = {
    x: round((start.x + 2 * middle.x + end.x) / 4 + (dy / length) * 12),
    y: round((start.y + 2 * middle.y + end.y) / 4 - (dx / length) * 12 + 4),
  };
  const path = `M${start.x} ${start.y} Q${round(middle.x)} ${round(middle.y)} ${end.x} ${end.y}`;
  const text = key === null ? kind : `${kind}  ${shortened(key, 56)}`;
  const colour = kindColours[kind];
  return [
    `<g class="edge" data-edge="${name}" tabindex="0" role="button">`,
    `<path d="${path}" fill="none" stroke="transparent" stroke-width="16"/>`,
    `<path d="${path}" fill="none" stroke="${colour}" stroke-width="2" marker-end="url(#arrow-${index}-${kind})"/>`,
    `<text x="${label.x}" y="${label.y}" text-anchor="middle" font-size="12" fill="${colour}" stroke="#fff" stroke-width="4" paint-order="stroke">${escaped(text)}</text>`,
    `<title>${escaped(key ?? kind)}</title></g>`,
  ].join("");
}

/** Where the line from a box's middle towards a point leaves the box. */
function borderOf({ x, y }: Place, towards: Place): Place {
  const [dx, dy] = [towards.x - x, towards.y - y];
  const scale = Math.min(
    dx === 0 ? Infinity : (node.width / 2 + 3) / Math.abs(dx),
    dy === 0 ? Infinity : (node.height / 2 + 3) / Math.abs(dy),
    1,
  );
  return { x: round(x + dx * scale), y: round(y + dy * scale) };
}

function nodeOf({ name, agent }: ReportedTransaction, { x, y }: Place, place: string): string {
  const below = agent ?? "";
  return [
    `<g class="node" data-node="${place}" tabindex="0" role="button">`,
    `<rect x="${x - node.width / 2}" y="${y - node.height / 2}" width="${node.width}" height="${node.height}" rx="8" fill="#f8fafc" stroke="#334155"/>`,
    `<text x="${x}" y="${below === "" ? y + 5 : y - 2}" text-anchor="middle" font-size="14" font-weight="600" fill="#0f172a">${escaped(shortened(name, 18))}</text>`,
    `<text x="${x}" y="${y + 15}" text-anchor="middle" font-size="11" fill="#475569">${escaped(shortened(below, 24))}</text></g>`,
  ].join("");
}

/** The end says more than the beginning: keys share their prefixes. */
function shortened(text: string, most: number): string {
  return text.length <= most ? text : `…${text.slice(text.length - most + 1)}`;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
