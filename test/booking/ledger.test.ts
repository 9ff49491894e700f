import { Ledger, type OfficeRequest } from "@seriatim/workloads";
import { expect, it } from "vitest";

const order = { show: "s", seat: "seat-1", agent: "a" };

function request(path: string, key: string, body: unknown): OfficeRequest {
  return { path, key, body: JSON.stringify(body) };
}

/** Sends a request as often as is said. */
function send(ledger: Ledger, each: OfficeRequest, times = 1): unknown[] {
  return Array.from({ length: times }, () => {
    ledger.receive(each);
    return ledger.act(each);
  });
}

it("acts once for each key, answers alike, and counts what it suppressed", () => {
  const ledger = new Ledger();
  const answer = { status: 201, body: { reservation: 1 } };
  expect(send(ledger, request("/hold", "k1", order), 3)).toEqual([answer, answer, answer]);
  expect(ledger.report()).toMatchObject({ requests: 3, keys: 1, suppressed: 2, held: 1 });
});

it("refuses a key that comes with other contents", () => {
  const ledger = new Ledger();
  send(ledger, request("/hold", "k1", order));
  expect(send(ledger, request("/hold", "k1", { ...order, seat: "seat-2" }))).toMatchObject([{ status: 422 }]);
  expect(ledger.report()).toMatchObject({ held: 1, refused: 1 });
});

it("holds a seat for whoever asks, and tells to whom it was sold", () => {
  const ledger = new Ledger();
  for (const agent of ["a", "b"]) {
    send(ledger, request("/hold", `hold ${agent}`, { ...order, agent }));
    const reservation = agent === "a" ? 1 : 2;
    send(ledger, request("/confirm", `confirm ${agent}`, { ...order, agent, reservation }), 2);
  }
  expect(ledger.report()).toMatchObject({ confirmed: 2, confirmations: 2, sold: { "seat-1": ["a", "b"] } });
});

it("a hold that comes after its release does nothing", () => {
  const ledger = new Ledger();
  expect(send(ledger, request("/release", "k2", { ...order, forward: { key: "k1" } }))).toMatchObject([
    { status: 200, body: { released: null } },
  ]);
  expect(send(ledger, request("/hold", "k1", order))).toMatchObject([{ status: 410 }]);
  expect(ledger.report()).toMatchObject({ held: 0, released: 0, voided: 1, suppressed: 0 });
});

it("neither confirms what was released or is another show's, nor releases what is confirmed", () => {
  const ledger = new Ledger();
  send(ledger, request("/hold", "k1", order));
  send(ledger, request("/hold", "k2", order));
  send(ledger, request("/release", "k3", { ...order, forward: { key: "k1" } }));
  expect(send(ledger, request("/confirm", "k4", { ...order, reservation: 1 }))).toMatchObject([{ status: 409 }]);
  expect(send(ledger, request("/confirm", "k5", { ...order, show: "t", reservation: 2 }))).toMatchObject([
    { status: 404 },
  ]);
  send(ledger, request("/confirm", "k6", { ...order, reservation: 2 }));
  expect(send(ledger, request("/release", "k7", { ...order, forward: { key: "k2" } }))).toMatchObject([
    { status: 409 },
  ]);
  expect(ledger.report()).toMatchObject({ held: 0, released: 1, confirmed: 1, refused: 3 });
});
