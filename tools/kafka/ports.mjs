import { connect, createServer } from "node:net";
import { setTimeout as pause } from "node:timers/promises";

const startLimitMs = 90_000;

/** A port of the loopback that was free a moment ago. */
export async function freePort() {
  const server = createServer();
  await new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => resolve(undefined));
  });
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === "string") throw new Error("The loopback gave no port");
  return address.port;
}

/** @param {number} port */
export function isOpen(port) {
  return new Promise((resolve) => {
    const socket = connect({ port, host: "127.0.0.1" });
    const settle = (/** @type {boolean} */ open) => {
      socket.destroy();
      resolve(open);
    };
    socket.once("connect", () => settle(true));
    socket.once("error", () => settle(false));
  });
}

/**
 * Resolves when `port` accepts connections, which Kafka 4.1 lets it do only once it serves.
 * @param {number} port
 * @param {Promise<unknown>} ended settles when the broker has died
 * @param {() => string} explain what to say then
 */
export async function untilServing(port, ended, explain) {
  let alive = true;
  void ended.then(() => (alive = false));
  const deadline = Date.now() + startLimitMs;
  while (!(await isOpen(port))) {
    if (!alive) throw new Error(explain());
    if (Date.now() > deadline) throw new Error(`Kafka did not serve on port ${port} within ${startLimitMs / 1000} s`);
    await pause(50);
  }
  // Somebody else's server on this port must not pass for ours, which then could not bind it and ended.
  if (!alive) throw new Error(explain());
}
