import kafkajs, { type PartitionAssigner } from "kafkajs";
import type { KafkaConnection } from "./connection.ts";
import { EndableConsumer } from "./endable-consumer.ts";
import { shareOut } from "./sharing.ts";
import { deferred, pause, pauseAfter, unlessAborted } from "./waiting.ts";

// kafkajs is CommonJS in a form whose names Node does not see.
const { MemberAssignment, MemberMetadata } = kafkajs.AssignerProtocol;

const protocolName = "seriatim-shared";
const protocolVersion = 1;
/** How long a join may take where all goes well, in ms. */
const joinLimit = 3_000;

export interface MembershipOptions {
  /** The group; all members name the same one. */
  readonly group: string;
  /** The topic whose partitions are shared out. Nothing of it is read. */
  readonly topic: string;
  /** After how long without a sign of life a member's partitions go to the others, in ms. Default 6,000. */
  readonly sessionTimeout?: number;
  readonly signal: AbortSignal;
  /** Gets the partitions of this member, at first and whenever they change. Must not throw. */
  readonly onAssigned: (partitions: readonly number[]) => void;
  /**
   * Gets why the group was lost or not joined, once until it is joined, which is tried again for as long as it takes.
   * The partitions assigned last stay as they are.
   */
  readonly onLost?: (error: unknown) => void;
}

/**
 * Takes part in a consumer group until `signal` fires, for as long as it takes: its assignments share work out, and a
 * broker that is away changes none of them. No offset is committed, and nothing is fetched.
 */
export async function joinGroup(connection: KafkaConnection, options: MembershipOptions): Promise<void> {
  const { signal, onLost } = options;
  let isTold = false;
  for (let failures = 1; !signal.aborted; failures += 1) {
    const member = new Member(connection, options, () => {
      failures = 0;
      isTold = false;
    });
    const error = await member.untilLost();
    if (signal.aborted) return;
    if (!isTold) onLost?.(error);
    isTold = true;
    await pause(pauseAfter(failures), signal);
  }
}

const defaultSessionTimeout = 6_000;

class Member {
  readonly #consumer: EndableConsumer;
  readonly #options: MembershipOptions;
  readonly #lost = deferred<unknown>();
  readonly #sessionTimeout: number;
  #aliveAt = performance.now();

  constructor(connection: KafkaConnection, options: MembershipOptions, onJoined: () => void) {
    const { group, topic, sessionTimeout = defaultSessionTimeout, onAssigned } = options;
    this.#options = options;
    this.#sessionTimeout = sessionTimeout;
    const consumer = connection.kafka.consumer({
      groupId: group,
      partitionAssigners: [sharedPartitions(topic)],
      allowAutoTopicCreation: false,
      sessionTimeout,
      rebalanceTimeout: sessionTimeout,
      heartbeatInterval: sessionTimeout / 4,
      // With everything paused kafkajs sleeps as long between two looks at whether a heartbeat is due.
      maxWaitTimeInMs: 250,
      // A member that was lost begins again from here.
      retry: { retries: 0, restartOnFailure: () => Promise.resolve(false) },
    });
    this.#consumer = new EndableConsumer(consumer);
    const { CRASH, GROUP_JOIN, HEARTBEAT } = consumer.events;
    consumer.on(HEARTBEAT, () => this.#touch());
    consumer.on(CRASH, ({ payload }) => this.#lost.resolve(payload.error));
    consumer.on(GROUP_JOIN, ({ payload }) => {
      this.#touch();
      consumer.pause([{ topic }]);
      onJoined();
      onAssigned((payload.memberAssignment[topic] ?? []).toSorted((a, b) => a - b));
    });
  }

  /** Resolves with what went wrong, or once the signal fires. Never rejects. */
  async untilLost(): Promise<unknown> {
    const { topic } = this.#options;
    const started = this.#consumer.start(topic, { eachBatch: () => Promise.resolve() });
    started.catch((error: unknown) => this.#lost.resolve(error));
    const watch = setInterval(() => this.#watch(), this.#sessionTimeout / 4);
    const error = await unlessAborted(this.#options.signal, this.#lost.promise);
    clearInterval(watch);
    await this.#consumer.end();
    return error;
  }

  #touch(): void {
    this.#aliveAt = performance.now();
  }

  /**
   * kafkajs sends heartbeats, and gives up requests, by the clock on the wall: after that was put back it would do
   * neither for as long, and not notice that the group has forgotten it.
   */
  #watch(): void {
    const silence = performance.now() - this.#aliveAt;
    if (silence > 2 * this.#sessionTimeout + joinLimit)
      this.#lost.resolve(new Error(`no sign of the group for ${Math.round(silence)} ms`));
  }
}

function sharedPartitions(topic: string): PartitionAssigner {
  const userData = Buffer.alloc(0);
  return ({ cluster }) => ({
    name: protocolName,
    version: protocolVersion,
    protocol: ({ topics }) => ({
      name: protocolName,
      metadata: MemberMetadata.encode({ version: protocolVersion, topics, userData }),
    }),
    assign: ({ members }) => {
      const partitions = cluster.findTopicPartitionMetadata(topic).map(({ partitionId }) => partitionId);
      const shares = shareOut(
        partitions,
        members.map(({ memberId }) => memberId),
      );
      const answer = [...shares].map(([memberId, share]) => {
        const assignment = { [topic]: share };
        return {
          memberId,
          memberAssignment: MemberAssignment.encode({ version: protocolVersion, assignment, userData }),
        };
      });
      return Promise.resolve(answer);
    },
  });
}
