import { setImmediate as turn } from "node:timers/promises";
import { expect, it } from "vitest";
import { Slots } from "../../services/effects-worker/src/slots.ts";

it("whoever waits for room is told, though those before it have no use for it any more", async () => {
  const slots = new Slots(1);
  const told: string[] = [];
  expect(slots.take("one", () => undefined)).toBe(true);
  for (const who of ["two", "three", "four"]) expect(slots.take(who, () => void told.push(who))).toBe(false);
  slots.release();
  for (let turns = 0; turns < 5; turns += 1) await turn();
  expect(told).toEqual(["two", "three", "four"]);
  expect(slots.used).toBe(0);
});

it("no more are told than there is room for", async () => {
  const slots = new Slots(1);
  const told: string[] = [];
  const wait = (who: string): void => {
    if (slots.take(who, () => wait(who))) told.push(who);
  };
  for (const who of ["one", "two", "three"]) wait(who);
  for (let turns = 0; turns < 5; turns += 1) await turn();
  expect(told).toEqual(["one"]);
  slots.release();
  for (let turns = 0; turns < 5; turns += 1) await turn();
  expect(told).toEqual(["one", "two"]);
});
