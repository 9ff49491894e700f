import { createEffectsCodec, sha256, type EffectRecord } from "@seriatim/protocol";
import { judge, SpaceHistory, type Judgement } from "@seriatim/checker";
import { expect, test } from "vitest";
import { submit, write } from "../core/partition.ts";
import { SabotagedPartition } from "./sabotage.ts";
import { exported, storedSource } from "./stored-space.ts";

const mail = { name: "mail", lane: "post", arguments: Buffer.from("{}") };

/** At 1 a commit with two effects, at 2 one with one, at 3 a refused intent that asked for one. */
function partition(): SabotagedPartition {
  const made = new SabotagedPartition();
  made.append(submit({ id: "first", snapshot: 0, writes: [write("a/x")], effects: [mail, mail] }));
  made.append(submit({ id: "second", snapshot: 1, effects: [mail] }));
  made.append(submit({ id: "late", snapshot: 0, writes: [write("a/x")], effects: [mail] }));
  return made;
}

type Draft =
  | { readonly kind: "claim"; readonly of: readonly [offset: number, index: number]; readonly arguments?: string }
  | { readonly kind: "done"; readonly of: readonly [offset: number, index: number]; readonly claim: number };

async function checked(drafts: readonly Draft[]): Promise<{ history: SpaceHistory; judgement: Judgement }> {
  const made = partition();
  const codec = createEffectsCodec(made.genesis);
  const effects = drafts.map((draft, offset) => ({ offset, time: 0, value: codec.encode(recordOf(draft, made)) }));
  const source = storedSource({ ...made.decidedWith({}), effects });
  const history = new SpaceHistory(await exported(source));
  return { history, judgement: await judge(history) };
}

function recordOf(draft: Draft, { genesis }: SabotagedPartition): EffectRecord {
  const [offset, index] = draft.of;
  const effect = { offset, index, side: "forward" } as const;
  const bytes = draft.kind === "claim" && draft.arguments !== undefined ? Buffer.from(draft.arguments) : mail.arguments;
  const base = { space: genesis.space, partition: 0, effect, arguments: sha256(bytes), worker: "worker" };
  if (draft.kind === "claim") return { ...base, kind: "claim", attempt: 1 };
  return { ...base, kind: "report", claim: draft.claim, result: { kind: "done", result: null } };
}

test("effects stand as the log says, and leave in the order of their lane", async () => {
  const { history, judgement } = await checked([
    { kind: "claim", of: [1, 0] },
    { kind: "done", of: [1, 0], claim: 0 },
    { kind: "claim", of: [1, 1] },
  ]);
  expect(history.objections.kept).toEqual([]);
  const counts = history.partitions.get(0)?.effects?.counts;
  expect(counts).toMatchObject({ asked: 3, standing: { done: 1, claimed: 1, pending: 1 } });
  expect(judgement.levels).toMatchObject({ reached: 3, undecided: false, laneBreaks: 0 });
});

test("an effect that overtakes its lane is counted", async () => {
  const { judgement } = await checked([
    { kind: "claim", of: [2, 0] },
    { kind: "claim", of: [1, 0] },
  ]);
  expect(judgement.levels).toMatchObject({ reached: 2 });
  expect(judgement.levels?.laneBreaks).toBeGreaterThan(0);
});

test.each<[string, readonly Draft[], RegExp]>([
  ["of a refused intent", [{ kind: "claim", of: [3, 0] }], /effect 0 of 3 belongs to a record that is refused/],
  ["that was not asked for", [{ kind: "claim", of: [2, 1] }], /effect 1 of 2 was not asked for/],
  [
    "of no record",
    [
      { kind: "claim", of: [2, 0] },
      { kind: "claim", of: [0, 0] },
    ],
    /effect 0 of 0 belongs to a record/,
  ],
  ["with other arguments", [{ kind: "claim", of: [2, 0], arguments: "[]" }], /effect 0 of 2 .* two keys/],
  ["with an outcome of no claim", [{ kind: "done", of: [2, 0], claim: 7 }], /effect 0 of 2 has an outcome .* not made/],
])("an effect %s is objected to", async (_, drafts, message) => {
  const { history } = await checked(drafts);
  expect(history.objections.kept.map(({ name }) => name)).toEqual(["audit:effect"]);
  expect(history.objections.kept[0]?.message).toMatch(message);
});
