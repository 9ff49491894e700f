import { type Outcome, type Verdict } from "@seriatim/protocol";
import { View, type Decision } from "@seriatim/view";
import { describe, expect, it } from "vitest";
import {
  Chain,
  commit,
  foldInto,
  key,
  openFile,
  openView,
  read,
  refuse,
  temporaryPath,
  value,
  type Opened,
} from "./fixture.ts";

const held: Outcome = {
  kind: "held",
  index: 1,
  name: "reserve",
  undo: "release",
  arguments: value("[]"),
  deadline: 99,
  timeout: 7,
};

const conflicts = [{ kind: "point", key: key("a/x"), version: 3 }] as const;

/** Every kind of outcome in turn, and a hole now and then. */
function verdictsOf(chain: Chain, count: number): Verdict[] {
  const outcomes = [
    commit({ "a/x": "1" }, value("result")),
    refuse("conflict", { conflicts }),
    held,
    refuse("invalid", { reason: "undecodable" }),
    { kind: "cancelled" },
    { kind: "expired" },
    { kind: "repeated", first: 1 },
    refuse("id_reused", { first: 1 }),
    commit({}),
  ] as const satisfies readonly Outcome[];
  const genesis = chain.found();
  const later = Array.from({ length: count }, (_, n) =>
    chain.next(outcomes[n % outcomes.length] ?? held, {}, n % 20 === 13 ? 2 : 0),
  );
  return [genesis, ...later];
}

/** Folds as a reader does that has its own fold noted. */
async function foldNoted(opened: Opened, verdicts: readonly Verdict[], first: number): Promise<void> {
  const { applied } = await foldInto(opened, read(verdicts, first));
  opened.view.noteApplied(0, applied);
}

describe("decisions", () => {
  it("are the same as the tables have them, whoever folded them and however far back it is asked", async () => {
    const path = temporaryPath();
    const opened = await openView(path);
    const other = await openView(path);
    const chain = new Chain();
    const verdicts = verdictsOf(chain, 300);
    const sizes = [1, 3, 1, 80, 2, 70, 1, 1, 40, 102];
    for (let at = 0, n = 0; at < verdicts.length; n += 1) {
      const size = sizes[n % sizes.length] ?? 1;
      const batch = verdicts.slice(at, at + size);
      // Now and then another process is faster.
      if (n % 4 === 3) await foldInto(other, read(batch, at));
      await foldNoted(opened, batch, at);
      at += size;
      const applied = opened.view.applied(0);
      const fresh = await View.open(openFile(path));
      for (const back of [1, 5, 30, 63, 64, 65, 200, 4])
        for (const ahead of [0, 10])
          expect(decisions(opened.view, applied - back, applied + ahead)).toEqual(
            decisions(fresh, applied - back, applied + ahead),
          );
      expect(decisions(opened.view, applied - 9, applied - 2)).toEqual(decisions(fresh, applied - 9, applied - 2));
    }
    expect(opened.view.applied(0)).toBe(chain.head.offset);
  });

  it("of a transaction that was rolled back are forgotten with it", async () => {
    const opened = await openView();
    const { file, view } = opened;
    const chain = new Chain();
    const [genesis, ...verdicts] = verdictsOf(chain, 5);
    await foldNoted(opened, genesis === undefined ? [] : [genesis], 0);
    expect(decisions(view, -1, 0)).toHaveLength(1);
    const failing = file.transaction(() => {
      view.fold(0, read(verdicts, 1));
      expect(decisions(view, 0, 5)).toHaveLength(5);
      throw new Error("no");
    });
    await expect(failing).rejects.toThrow("no");
    expect(decisions(view, 0, 5)).toEqual([]);
  });
});

function decisions(view: View, after: number, upTo: number): Decision[] {
  return [...view.decisions(0, after, upTo)];
}
