import { sha256 } from "@seriatim/protocol";
import { verifyPosition, type VerifyOptions } from "@seriatim/view";
import { describe, expect, it } from "vitest";
import { Chain, commit, foldInto, openView, read } from "./fixture.ts";
import { MemoryLog } from "./memory-log.ts";

/** A view of five records, folded from two logs that hold them. */
async function folded(): Promise<VerifyOptions & { readonly intents: MemoryLog; readonly verdicts: MemoryLog }> {
  const opened = await openView();
  const chain = new Chain();
  const folds = [chain.found()];
  for (let offset = 1; offset < 5; offset += 1) folds.push(chain.next(commit({ "a/x": String(offset) })));
  await foldInto(opened, read(folds));
  const intents = new MemoryLog("intents");
  const verdicts = new MemoryLog("verdicts");
  for (const [offset, verdict] of folds.entries()) {
    intents.push(Buffer.from(`record 0/${offset}`));
    verdicts.push(Buffer.from(verdict.chain));
  }
  return { intents, verdicts, view: opened.view, partitions: [0], hash: sha256 };
}

describe("verifyPosition (invariant 9)", () => {
  it("accepts the logs that the view was folded from, also when they went on", async () => {
    const options = await folded();
    await verifyPosition(options);
    options.intents.push(Buffer.from("more"));
    options.verdicts.push(Buffer.from("more"));
    await verifyPosition(options);
    expect(options.intents.reads).toBe(2);
  });

  it("asks nothing of empty logs for an empty view", async () => {
    const { view } = await openView();
    const logs = { intents: new MemoryLog("intents"), verdicts: new MemoryLog("verdicts") };
    await verifyPosition({ ...logs, view, partitions: [0], hash: sha256 });
    expect(logs.intents.reads).toBe(0);
  });

  it.each<[string, RegExp, (options: { intents: MemoryLog; verdicts: MemoryLog }) => void]>([
    [
      "an empty log",
      /partition 0 of intents was recreated: it is empty.*offset 4/,
      ({ intents }) => {
        intents.records = [];
      },
    ],
    [
      "a log recreated and shorter",
      /intents was recreated: it ends at offset 4/,
      ({ intents }) => {
        intents.records.pop();
      },
    ],
    [
      "a log recreated and grown past the offset",
      /intents was replaced: another record stands at offset 4/,
      ({ intents }) => {
        intents.records = [];
        intents.push(...Array.from({ length: 9 }, (_, index) => Buffer.from(`other ${index}`)));
      },
    ],
    [
      "a log without a record at the offset",
      /intents was replaced: it has no record at offset 4/,
      ({ intents }) => {
        intents.records.pop();
        intents.records.push({ offset: 7, time: 0, value: Buffer.from("record 0/4"), headers: {} });
      },
    ],
    [
      "a log that starts above the offset",
      /intents was truncated: it starts at offset 5/,
      ({ intents }) => {
        intents.start = 5;
        intents.push(Buffer.from("more"));
      },
    ],
    [
      "a verdicts log recreated",
      /verdicts was recreated or cut: it ends at offset 3.*up to offset 5/,
      ({ verdicts }) => {
        verdicts.records.splice(3);
      },
    ],
    [
      "a verdicts log that starts above what was read",
      /verdicts was truncated: it starts at offset 6/,
      ({ verdicts }) => {
        verdicts.start = 6;
        verdicts.records = [];
      },
    ],
  ])("refuses %s", async (_, message, change) => {
    const options = await folded();
    change(options);
    await expect(verifyPosition(options)).rejects.toMatchObject({
      code: "log_changed",
      message: expect.stringMatching(message) as string,
    });
  });

  it("ends when its caller gives up", async () => {
    const options = await folded();
    options.intents.records.pop();
    options.intents.bounds = async () => ({ start: 0, end: 5 });
    const controller = new AbortController();
    const verified = verifyPosition({ ...options, signal: controller.signal });
    await options.intents.drained();
    controller.abort();
    await expect(verified).rejects.toMatchObject({ code: "aborted" });
  });
});
