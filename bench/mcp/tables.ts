import type { Crowd } from "./crowds.ts";
import type { Speed } from "./speed.ts";

/** As Markdown, to stand in a document as it is. */
export function crowdTable(crowds: readonly Crowd[]): string {
  const rows = crowds.map(({ subject, processes, each, acknowledged, standing }) => [
    `${processes} × ${each}`,
    subject,
    String(acknowledged),
    String(standing),
  ]);
  return table(["processes × parallel calls", "server", "acknowledged", "standing afterwards"], rows);
}

export function speedTable(speeds: readonly Speed[]): string {
  const rows = speeds.map(({ subject, clients, call, callsPerSecond, p50, lost }) => [
    String(clients),
    call,
    subject,
    Math.round(callsPerSecond).toLocaleString("en-US"),
    `${p50.toFixed(1)} ms`,
    call === "create_entities" ? String(lost) : "",
  ]);
  return table(["clients", "call", "server", "calls/s", "p50", "acknowledged and lost"], rows);
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [head, ...rows];
  const widths = head.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]) => `| ${row.map((cell, n) => cell.padEnd(widths[n] ?? 0)).join(" | ")} |`;
  const rule = `| ${widths.map((width) => "-".repeat(width)).join(" | ")} |`;
  return `${[line(head), rule, ...rows.map(line)].join("\n")}\n`;
}
