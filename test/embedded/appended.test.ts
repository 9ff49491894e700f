/* The append says what was decided, over the socket too: nobody has to look it up, and nobody is told what is not so. */
import { createCoordinator } from "@seriatim/client";
import { emptyIntent, type Submit } from "@seriatim/protocol";
import { expect, it, onTestFinished, vi } from "vitest";
import { EmbeddedSpace } from "../../libs/seriatim/src/embedded-space.ts";
import { temporaryFile } from "../support/temporary.ts";
import { newLink, patience, plays } from "./links.ts";

/** A space that commits by itself, one that holds, and one that follows it, on one file. */
async function trio(window?: number): Promise<Record<"alone" | "holds" | "follows", EmbeddedSpace>> {
  const path = temporaryFile();
  const open = async (socket: boolean): Promise<EmbeddedSpace> => {
    const space = await EmbeddedSpace.open(path, { socket, ...(window === undefined ? {} : { limits: { window } }) });
    onTestFinished(() => space.close());
    return space;
  };
  const [alone, holds, follows] = [await open(false), await open(true), await open(true)];
  for (const [space, role] of [[holds, "holds"] as const, [follows, "follows"] as const]) {
    await space.append(0, record(space, { id: role }));
    await vi.waitFor(() => expect(space.role).toBe(role), patience);
  }
  return { alone, holds, follows };
}

function record({ codec, genesis: { space }, view }: EmbeddedSpace, parts: Partial<Submit> & Pick<Submit, "id">) {
  const { offset: snapshot } = view.position(0);
  return codec.encodeIntent({ ...emptyIntent, space, agent: "a", snapshot, ...parts });
}

it("is told where its record committed, and is not told so of a repeat, a reuse or a refusal", async () => {
  const spaces = await trio();
  for (const [name, space] of Object.entries(spaces)) {
    const bytes = record(space, { id: `${name} commits` });
    const committed = await space.append(0, bytes);
    const decision = space.view.decisionOf(`${name} commits`);
    expect(committed).toEqual({ offset: decision?.offset, time: decision?.time, isCommitted: true });

    const { offset = 0, time = 0 } = (await space.append(0, bytes)) ?? {};
    expect(space.view.decision(0, offset)).toMatchObject({ time, outcome: { kind: "repeated" } });
    expect(await space.append(0, bytes)).toMatchObject({ offset: offset + 1, isCommitted: false });

    const reuse = await space.append(0, record(space, { id: `${name} commits`, agent: "b" }));
    expect(reuse).toMatchObject({ offset: offset + 2, isCommitted: false });
    const invalid = await space.append(0, Buffer.from("no record"));
    expect(invalid).toMatchObject({ offset: offset + 3, isCommitted: false });
  }
});

it("is not told so of an id that was claimed before the window, which the view remembers", async () => {
  const spaces = await trio(4);
  for (const [name, space] of Object.entries(spaces)) {
    await space.append(0, record(space, { id: name }));
    for (let count = 0; count < 5; count += 1) await space.append(0, record(space, { id: `${name} ${count}` }));
    const again = await space.append(0, record(space, { id: name, agent: "b" }));
    expect(again?.isCommitted).toBe(false);
    expect(space.view.decision(0, again?.offset ?? 0)).toMatchObject({ outcome: { kind: "committed" } });
  }
});

it("a coordinator asks the view for no decision that it was told", async () => {
  for (const space of Object.values(await trio())) {
    const asked = vi.spyOn(space.view, "decisionOf");
    const coordinator = createCoordinator(space);
    const result = await coordinator.run({ agent: "a" }, (tx) => {
      tx.put("a/b", 1);
      return "done";
    });
    expect(asked).not.toHaveBeenCalled();
    const { offset = -1 } = result.outcome === "committed" ? (result.version ?? {}) : {};
    expect(space.view.decision(0, offset)?.id).toBe(result.outcome === "committed" && result.intent);
    expect(result).toMatchObject({ outcome: "committed", value: "done", repeated: false });

    const refused = await coordinator.run({ agent: "a", attempts: 1 }, async (tx) => {
      await tx.get("a/b");
      await space.append(0, record(space, { id: `other ${offset}`, writes: [overwrite(space)] }));
      tx.put("a/b", 2);
    });
    expect(refused).toMatchObject({ outcome: "refused", refusal: { code: "conflict" } });
    expect(asked).toHaveBeenCalled();
  }
});

function overwrite({ view }: EmbeddedSpace): Submit["writes"][number] {
  const [written] = view.changes(0, -1, view.applied(0));
  if (written === undefined) throw new Error("nothing was written");
  return { key: written.key, value: Buffer.from("3"), blind: true };
}

it("each of several appends sent in one go gets its own answer", async () => {
  const path = temporaryFile("socket");
  const holder = newLink(path);
  await plays(holder, "holds");
  const follower = newLink(path);
  await plays(follower, "follows");
  const answers = await Promise.all(Array.from({ length: 300 }, (_, index) => follower.append(`${index}`)));
  expect(holder.records).toEqual(Array.from({ length: 300 }, (_, index) => `${index}`));
  expect(answers).toEqual(holder.records.map((_, offset) => ({ offset, time: 7, isCommitted: true })));
});
