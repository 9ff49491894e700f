import { Failure } from "@seriatim/protocol";

/** The innermost error: kafkajs wraps what went wrong in what it did about it. */
function rootOf(error: unknown): unknown {
  let root = error;
  while (root instanceof Error && root.cause !== undefined) root = root.cause;
  return root;
}

/** The broker's own word for what went wrong, such as `UNKNOWN_TOPIC_OR_PARTITION`; undefined when it gave none. */
export function brokerError(error: unknown): string | undefined {
  const root = rootOf(error);
  if (!(root instanceof Error) || !("type" in root)) return undefined;
  return typeof root.type === "string" ? root.type : undefined;
}

export function isUnknownTopic(error: unknown): boolean {
  return brokerError(error) === "UNKNOWN_TOPIC_OR_PARTITION";
}

/** The last is a codec that kafkajs can't read. */
const finalNames: ReadonlySet<string> = new Set(["Failure", "KafkaJSSASLAuthenticationError", "KafkaJSNotImplemented"]);

/** Whether asking again would get the same answer. A connection that failed, or a leader being elected, is none. */
export function isFinal(error: unknown): boolean {
  const root = rootOf(error);
  if (!(root instanceof Error)) return true;
  if (finalNames.has(root.name) || isUnknownTopic(root)) return true;
  return brokerError(root) !== undefined && "retriable" in root && root.retriable === false;
}

export function reasonOf(error: unknown): string {
  const root = rootOf(error);
  const message = root instanceof Error ? root.message : String(root);
  const type = brokerError(root);
  return type === undefined ? message : `${type}: ${message}`;
}

/** What to say when Kafka gave no answer, or one that refuses. `action` completes "could not ...". */
export function unavailable(brokers: readonly string[], action: string, cause: unknown): Failure {
  const canRetry = !isFinal(cause);
  const remedy = canRetry
    ? "Start the broker, or correct the addresses; `npm run kafka` starts one for trying out."
    : "Correct the credentials, the permissions or the request, and try again.";
  return new Failure(
    "unavailable",
    `Kafka at ${brokers.join(", ")}: could not ${action} (${reasonOf(cause)}). ${remedy}`,
    { canRetry, cause },
  );
}
