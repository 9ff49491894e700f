import { expect, it } from "vitest";
import { coordinatorOn, FakeSpace } from "./fake-space.ts";

const overloaded = { name: "Failure", code: "overloaded", canRetry: true } as const;

it("an intent too many fails before the log, and the others are decided", async () => {
  const space = await FakeSpace.open();
  const coordinator = coordinatorOn(space, { unresolved: 3 });
  const sent: string[] = [];
  space.onAppend = ({ kind }) => void sent.push(kind);
  space.isPaused = true;
  const put = (n: number) => coordinator.run({ agent: "a" }, (tx) => tx.put(`k/${n}`, n));
  const waiting = [0, 1, 2].map(put);
  await expect(put(3)).rejects.toMatchObject(overloaded);
  expect(sent).toEqual(["submit", "submit", "submit"]);
  await space.resume();
  expect((await Promise.all(waiting)).map(({ outcome }) => outcome)).toEqual(["committed", "committed", "committed"]);
  expect(await put(3)).toMatchObject({ outcome: "committed" });
  expect(await coordinator.get("k/3")).toBe(3);
});

it("verdicts that trail too far behind the log's end let nothing new in", async () => {
  const space = await FakeSpace.open();
  let backlog = 50_001;
  const coordinator = coordinatorOn(Object.assign(space, { backlog: () => backlog }));
  const put = () => coordinator.run({ agent: "a" }, (tx) => tx.put("k/1", 1));
  await expect(put()).rejects.toMatchObject(overloaded);
  expect(await coordinator.get("k/1")).toBeUndefined();
  backlog = 50_000;
  expect(await put()).toMatchObject({ outcome: "committed" });
});
