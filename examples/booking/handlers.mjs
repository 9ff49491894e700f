import { CallError, defineHandlers } from "seriatim";

/** Posts to the box office, which acts once for each key. Whatever it does not answer in time may have happened. */
async function post(path, order, { key, signal }) {
  const response = await fetch(new URL(path, process.env.BOX_OFFICE), {
    method: "POST",
    headers: { "Content-Type": "application/json", "Idempotency-Key": `"${key}"` },
    body: JSON.stringify(order),
    signal,
  });
  if (response.ok) return response.json();
  const fault = response.status >= 500 ? "unsettled" : "refused";
  throw new CallError(fault, `HTTP ${response.status}: ${await response.text()}`);
}

const timeout = 500;
const persistent = { timeout, attempts: 50, backoff: 50, longestBackoff: 1_000 };

/** What the names of effects stand for: loaded by the agents and by the workers. */
export default defineHandlers({
  /** Called by the agent, before its commit. Where it fails, the agent begins anew, and this call is undone. */
  hold: { timeout, call: (order, context) => post("/hold", order, context) },

  /** Undoes a hold. One that arrives at the box office later than its release does nothing there. */
  release: {
    ...persistent,
    voids: true,
    call: (order, context) => post("/release", { ...order, forward: context.forward }, context),
  },

  /** Called by a worker, after the commit, until the box office has answered. */
  confirm: { ...persistent, call: (order, context) => post("/confirm", order, context) },
});
