import type { BadRead } from "../../judgement.ts";
import { noDetail, type EdgeDetail } from "../told-cycles.ts";
import type { Participants, Writer } from "./participants.ts";
import type { Choice, Edge } from "./problem.ts";

/** Collects what a history states. */
export class Builder {
  readonly edges: Edge[] = [];
  readonly choices: Choice[] = [];
  readonly badReads: BadRead[] = [];
  readonly #participants: Participants;

  constructor(participants: Participants) {
    this.#participants = participants;
  }

  /** Nobody depends on himself, nor on who was before the first. */
  depend(from: number | undefined, to: number | undefined, kind: number, detail: Partial<EdgeDetail>): void {
    if (from !== undefined && to !== undefined && from !== to) this.edges.push(edge(from, to, kind, detail));
  }

  choose(first: readonly Edge[], second: readonly Edge[]): void {
    this.choices.push({ first, second });
  }

  object(
    anomaly: BadRead["anomaly"],
    reader: number,
    writer: Writer | undefined,
    key: string,
    version: string | null,
  ): void {
    const transaction = this.#participants.counted[reader]?.transaction;
    if (transaction === undefined) return;
    this.badReads.push({ anomaly, reader: transaction, writer: writer?.participant.transaction ?? null, key, version });
  }
}

export function edge(from: number, to: number, kind: number, detail: Partial<EdgeDetail>): Edge {
  return { from, to, kind, detail: { ...noDetail, ...detail } };
}

export function eachPair<Item>(items: readonly Item[], visit: (a: Item, b: Item) => void): void {
  for (const [at, a] of items.entries()) for (const b of items.slice(at + 1)) visit(a, b);
}
