import {
  cyclesSvg,
  judge,
  limitRule,
  makeReport,
  reportLines,
  reportPage,
  RuleWatch,
  SpaceHistory,
} from "@seriatim/checker";
import type { Report, Span } from "@seriatim/checker";
import { describe, expect, test } from "vitest";
import { range, submit, write } from "../core/partition.ts";
import { SabotagedPartition } from "./sabotage.ts";
import { storedSource } from "./stored-space.ts";

const evil = `credits/</svg><script>alert("1")</script>\u202e`;

function extract({ partition, from, to }: Span): string {
  return `extract ${partition} ${from} ${to}`;
}

/** Two count a range that is not checked, and each inserts; the second under a key that would break a page. */
async function reported(level: "serializable" | "none" = "serializable"): Promise<Report> {
  const partition = new SabotagedPartition();
  const ranges = [range("credits/", "credits0")];
  partition.append(submit({ id: "first", agent: "a", snapshot: 0, ranges, writes: [write("credits/1", "1")] }));
  partition.append(submit({ id: "second", agent: "b", snapshot: 0, ranges, writes: [write(evil, "1")] }));
  const source = storedSource(partition.decidedWith({ intent: (intent) => ({ ...intent, ranges: [] }) }));
  const rules = [new RuleWatch(limitRule({ name: "one", prefix: "credits/", segments: [0], sum: null, max: 1 }))];
  const history = new SpaceHistory(source, { rules });
  const judgement = await judge(history);
  await history.audit();
  const { objections, partitions, starts } = history;
  const evidence = {
    source: "memory",
    judgement,
    unjudged: undefined,
    objections,
    partitions,
    starts,
    rules,
    notes: [],
  };
  return makeReport(evidence, { asked: level, session: false, realTime: false, extract });
}

describe("the report", () => {
  test("begins with answer, anomaly, levels and offsets, and tells the cycle in sentences", async () => {
    const report = await reported();
    expect(report.headline).toBe(
      "VIOLATED  not serializable: G2 (write skew); claimed serializable, found snapshot; 0@0..2 of memory",
    );
    const lines = reportLines(report);
    expect(lines).toContain(
      "  T2 read credits/* as of 0; T1 inserted credits/1 at 1, which T2's read would have seen: so T2 came before T1.",
    );
    expect(lines).toContain("  Just this: extract 0 1 2");
    expect(lines.join("\n")).toMatch(
      /BROKEN {2}one {2}once in 2 commits that touch it; 1 still are\n.*first at 0@2 by agent b/,
    );
  });

  test("says of a level that was not asked for that it is broken, and holds for what was asked", async () => {
    const report = await reported("none");
    expect(report.answer).toBe("violated");
    expect(report.headline).toMatch(/^VIOLATED {2}one: broken once, first at 0@2/);
  });

  test("is a page and a drawing that no key can break out of", async () => {
    const report = await reported();
    for (const text of [reportPage(report), cyclesSvg(report)]) {
      expect(text).toContain("&lt;/svg&gt;&lt;script&gt;alert(&quot;1&quot;)");
      expect(text).not.toContain("<script>alert");
      expect(text).not.toContain("\u202e");
      expect(text).not.toMatch(/(?:src|href)=/);
    }
    expect(reportPage(report)).toContain(`data-edge="0-1"`);
    expect(reportPage(report)).toContain(`id="edge-0-1"`);
    expect(JSON.parse(JSON.stringify(report))).toEqual(report);
  });
});
