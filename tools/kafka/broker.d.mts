export type BrokerKind = "docker" | "jars";

export interface BrokerOptions {
  /** The port on 127.0.0.1; a free one unless given. */
  readonly port?: number;
  /** Where the log is kept; a temporary folder, removed by `stop`, unless given. */
  readonly dataDirectory?: string;
  /** Docker where an engine answers, else the jars, unless given. */
  readonly from?: BrokerKind;
  /** Broker properties on top of, or in place of, those of properties.mjs. */
  readonly properties?: Readonly<Record<string, string>>;
  /** Of the cluster that it is a node of, from the jars; a new one unless given. */
  readonly clusterId?: string;
}

export interface Broker {
  readonly brokers: string[];
  readonly kind: BrokerKind;
  /** The Java process now running; undefined in Docker. */
  readonly pid: number | undefined;
  /** Ends the broker and removes what was temporary. */
  stop(): Promise<void>;
  /** Ends the broker as a crash would (`kill -9`); its log stays, and `restart` brings it back. */
  kill(): Promise<void>;
  /** Ends the broker cleanly if it runs, and starts it again on the same port with the same log. */
  restart(): Promise<void>;
}

/** Resolves once the broker serves. Rejects with the remedy where neither Docker nor Java and Maven can be had. */
export function startBroker(options?: BrokerOptions): Promise<Broker>;

/** How a broker would be started here, or undefined where none can be. */
export function availableKind(): Promise<BrokerKind | undefined>;

/** Whether a broker can be started from jars, also where Docker would be taken: only that one listens as it is told to. */
export function canUseJars(): boolean;

export function newClusterId(): string;
