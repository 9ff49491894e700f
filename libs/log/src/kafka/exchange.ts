import { assert } from "@seriatim/protocol";
import type { Broker } from "kafkajs";

/** A request of kafkajs, and how its answer is read. */
export interface Exchange {
  readonly request: { readonly apiName: string; readonly apiVersion: number; readonly encode: () => Promise<Encoded> };
  readonly response: {
    readonly decode: (answer: Buffer) => Promise<unknown>;
    readonly parse: (answer: object) => Promise<unknown>;
  };
}

/** What kafkajs takes for an encoder of its own. */
export interface Encoded {
  readonly buf: Buffer;
  readonly buffer: Buffer;
  size(): number;
}

interface Sender {
  send(exchange: Exchange): Promise<unknown>;
}

/**
 * `broker`, of whose exchanges `change` makes what is sent. kafkajs finds version and connection, correlates the answer,
 * and throws what the broker answers it with; records are better written and read without it, for that is most of what
 * they cost.
 */
export function changed(broker: Broker, change: (exchange: Exchange) => Exchange): Broker {
  const { connectionPool: pool } = broker as Broker & { readonly connectionPool?: Sender };
  assert(pool !== undefined, "a broker of kafkajs 2.2.4 has its connections in a pool");
  const send = (exchange: Exchange): Promise<unknown> => pool.send(change(exchange));
  const connectionPool = { value: Object.create(pool, { send: { value: send } }) as Sender };
  return Object.create(broker, { connectionPool }) as Broker;
}
