import { cycleSvg, kindColours } from "./drawing.ts";
import { escaped } from "./markup.ts";
import type { Report, ReportedCycle, ReportedTransaction } from "./report.ts";
import { reportLines } from "./text.ts";

/** The report as one page that needs nothing else, and loads nothing. */
export function reportPage(report: Report): string {
  const { answer, headline, cycles } = report;
  const [word = "", ...rest] = headline.split("  ");
  const text = reportLines(report, { cycles: false }).map(escaped).join("\n").trim();
  return [
    "<!doctype html>",
    '<html lang="en"><head><meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'">`,
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    `<title>${escaped(word)}: ${escaped(report.source)}</title><style>${style}</style></head><body>`,
    `<h1><span class="${answer}">${escaped(word)}</span> ${escaped(rest.join("  "))}</h1>`,
    `<pre>${text}</pre>`,
    cycles.length === 0 ? "" : legend(),
    ...cycles.map(cycleSection),
    cycles.length === 0 ? "" : `<script>${script}</script>`,
    "</body></html>",
    "",
  ].join("\n");
}

function legend(): string {
  const meanings = {
    ww: "overwrote",
    wr: "read what it wrote",
    rw: "wrote what it had read otherwise",
    session: "later in its session",
    time: "began after it ended",
  } as const;
  const items = Object.entries(meanings).map(
    ([kind, meaning]) =>
      `<span><i style="background:${kindColours[kind as keyof typeof meanings]}"></i>${kind}: ${meaning}</span>`,
  );
  return `<p class="legend">${items.join("")} Click an arrow or a transaction for its detail.</p>`;
}

function cycleSection(cycle: ReportedCycle, index: number): string {
  const { anomaly, component, transactions, dependencies, command, minimal } = cycle;
  const among =
    component > transactions.length
      ? `, ${minimal ? "the smallest" : "one"} among ${component} that hang together`
      : "";
  return [
    `<section><h2>Cycle ${index + 1}: ${escaped(anomaly)}, ${transactions.length} transactions${among}</h2>`,
    `<div class="drawing">${cycleSvg(cycle, index)}</div>`,
    "<ol>",
    ...dependencies.map(
      ({ kind, sentence }, at) =>
        `<li id="edge-${index}-${at}" class="detail" tabindex="-1"><b style="color:${kindColours[kind]}">${kind}</b> ${escaped(sentence)}.</li>`,
    ),
    "</ol>",
    ...transactions.map((transaction, at) => transactionDetail(transaction, `${index}-${at}`)),
    command === null ? "" : `<p>Just this:</p><pre>${escaped(command)}</pre>`,
    "</section>",
  ].join("\n");
}

function transactionDetail(transaction: ReportedTransaction, place: string): string {
  const { name, version, agent, id, time, isolation, snapshot, reads, writes, effects, left } = transaction;
  const rows: readonly (readonly [string, string | readonly string[] | null])[] = [
    ["version", version],
    [version === null ? "session" : "agent", agent],
    ["intent", id],
    ["time", time],
    ["level claimed", isolation],
    ["snapshot", snapshot === null ? null : String(snapshot)],
    ["read", reads],
    ["wrote", writes],
    ["effects", effects],
    ["had left", left],
  ];
  const cells = rows
    .filter(([, value]) => value !== null && value.length > 0)
    .map(([label, value]) => `<tr><th>${label}</th><td>${[value ?? ""].flat().map(escaped).join("<br>")}</td></tr>`);
  return `<details id="node-${place}" class="detail"><summary>${escaped(name)}</summary><table>${cells.join("")}</table></details>`;
}

const style = `
body{font:15px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#0f172a;background:#fff}
h1{font-size:1.15rem}h2{font-size:1rem;margin-top:2rem}
.holds{color:#15803d}.violated{color:#b91c1c}.undecided{color:#a16207}
pre{background:#f1f5f9;padding:.8rem;overflow-x:auto;font-size:.8rem;white-space:pre-wrap;overflow-wrap:anywhere}
.legend{font-size:.8rem;color:#475569}.legend span{margin-right:1rem}
.legend i{display:inline-block;width:.8em;height:.8em;border-radius:50%;margin-right:.3em}
.drawing{border:1px solid #e2e8f0;border-radius:8px}svg{width:100%;height:auto;display:block}
.node,.edge{cursor:pointer}.node:focus,.edge:focus{outline:none}
.node:focus rect,.node:hover rect{stroke-width:3}.edge:focus path+path,.edge:hover path+path{stroke-width:4}
.detail{border-radius:6px;padding:.1rem .4rem}.detail.chosen{background:#fef9c3}
table{font-size:.85rem}th{text-align:left;vertical-align:top;padding-right:1rem;font-weight:600;white-space:nowrap}td{overflow-wrap:anywhere}
summary{cursor:pointer;font-weight:600}`;

const script = `
const choose = (id) => {
  const detail = document.getElementById(id);
  for (const other of document.querySelectorAll(".chosen")) other.classList.remove("chosen");
  detail.classList.add("chosen");
  if ("open" in detail) detail.open = true;
  detail.scrollIntoView({ block: "nearest", behavior: "smooth" });
};
for (const kind of ["node", "edge"])
  for (const part of document.querySelectorAll("." + kind)) {
    const id = kind + "-" + part.dataset[kind];
    part.addEventListener("click", () => choose(id));
    part.addEventListener("keydown", (event) => { if (event.key === "Enter" || event.key === " ") { event.preventDefault(); choose(id); } });
  }`;
