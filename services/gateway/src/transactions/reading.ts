import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import type { Entry, Item, Range } from "@seriatim/client";
import { Failure } from "@seriatim/protocol";
import type { Session } from "../session.ts";
import { parseAsOf, versionText } from "../versions.ts";
import { answer, answerIn, shownValue } from "./answers.ts";

export interface GetRequest {
  readonly key: string;
  readonly transaction?: string | undefined;
  readonly asOf?: string | undefined;
}

export interface ScanRequest extends Omit<GetRequest, "key"> {
  readonly prefix?: string | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly limit?: number | undefined;
  readonly reverse?: boolean | undefined;
}

const defaultScan = 100;

/** In the transaction named, or outside of any. */
export async function getKey(session: Session, request: GetRequest): Promise<CallToolResult> {
  const { key, transaction } = request;
  const asOf = asOfOf(request);
  if (transaction === undefined) {
    const entry = await session.coordinator.entry(key, { asOf });
    return answer(entry === undefined ? { key, found: false } : { found: true, ...shownEntry(entry) });
  }
  const held = session.transactions.get(transaction);
  const value = await held.use((tx) => tx.get(key));
  held.reads.push({ key });
  return answerIn(held, { key, found: value !== undefined, ...(value === undefined ? {} : shownValue(value)) });
}

/** As {@link getKey}. */
export async function scanRange(session: Session, request: ScanRequest): Promise<CallToolResult> {
  const { transaction, limit = defaultScan, reverse = false } = request;
  const range = rangeOf(request);
  const asOf = asOfOf(request);
  if (transaction === undefined) {
    const entries = await session.coordinator.scan(range, { limit, reverse, asOf });
    return answer({ items: entries.map(shownEntry), complete: entries.length < limit });
  }
  const held = session.transactions.get(transaction);
  const items = await held.use((tx) => tx.scan(range, { limit, reverse }));
  held.reads.push({ range, limit, reverse });
  return answerIn(held, { items: items.map(shownItem), complete: items.length < limit });
}

function asOfOf({ transaction, asOf }: Omit<GetRequest, "key">): ReturnType<typeof parseAsOf> {
  if (transaction === undefined || asOf === undefined) return parseAsOf(asOf);
  throw new Failure(
    "invalid_argument",
    "asOf does not go with a transaction, which reads at its own snapshot; leave one of them out",
  );
}

function rangeOf({ prefix, from, to }: ScanRequest): Range {
  if (prefix !== undefined && from === undefined && to === undefined) return { prefix };
  if (prefix === undefined && from !== undefined && to !== undefined) return { from, to };
  throw new Failure("invalid_argument", "a range is prefix alone, or from and to together");
}

function shownItem({ key, value }: Item): Record<string, unknown> {
  return { key, ...shownValue(value) };
}

function shownEntry({ key, value, version }: Entry): Record<string, unknown> {
  return { key, ...shownValue(value), version: versionText(version) };
}
