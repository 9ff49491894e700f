import type { Space } from "@seriatim/client";
import { sha256 } from "@seriatim/protocol";
import { expect, it } from "vitest";
import { Verdicts } from "../../libs/client/src/verdicts.ts";

it("finds a verdict that another process folds while it is being looked for", async () => {
  const decision = {
    partition: 0,
    offset: 5,
    id: "a",
    digest: sha256(Buffer.alloc(0)),
    outcome: { kind: "cancelled" },
  };
  let applied = 4;
  const view = {
    applied: () => applied,
    decisionOf: () => {
      const found = applied === 5 ? decision : undefined;
      applied = 5;
      return found;
    },
    decisions: (_: number, after: number, upTo: number) => (after < 5 && upTo >= 5 ? [decision] : []),
  };
  const space = { view, subscribe: () => () => undefined } as unknown as Space;
  const verdicts = new Verdicts(space, () => () => undefined);
  const found = verdicts.await({ partition: 0, id: "a", digests: [], since: 4 }, 1_000);
  expect(await found).toBe(decision);
}, 5_000);
