import { decide, evolve, initialState, type MemoryState } from "@seriatim/sequencer";
import { Stream } from "./stream.ts";
import { WindowedModel } from "./windowed-model.ts";

export interface Grown {
  readonly state: MemoryState;
  /** How many verdicts of the last two windows were compared with the model's. */
  readonly compared: number;
  /** Those that differ, described. */
  readonly differing: readonly string[];
  /** How often each outcome came about in the last two windows. */
  readonly outcomes: ReadonlyMap<string, number>;
}

/** Takes one sequencer's state through so many records, and compares the last two windows' verdicts with the model's. */
export function grow(count: number, window: number, onRecord?: (done: number) => void): Grown {
  const stream = new Stream(window);
  const model = new WindowedModel(stream);
  const state = initialState(window);
  const differing: string[] = [];
  const outcomes = new Map<string, number>();
  const judgedFrom = count - 2 * window;
  for (let offset = 0; offset < count; offset += 1) {
    const record = stream.recordAt(offset);
    const { verdict } = decide(stream.rules, 0, state.head, state, record);
    const { outcome } = verdict;
    if (offset >= judgedFrom) {
      const expected = JSON.stringify(model.outcomeOf(record));
      if (JSON.stringify(outcome) !== expected)
        differing.push(`${offset}: ${JSON.stringify(outcome)}, not ${expected}`);
      const name = outcome.kind === "refused" ? outcome.code : outcome.kind;
      outcomes.set(name, (outcomes.get(name) ?? 0) + 1);
    }
    if (offset >= judgedFrom - 2 * window) model.learn(record, outcome);
    evolve(state, verdict);
    onRecord?.(offset + 1);
  }
  return { state, compared: count - judgedFrom, differing, outcomes };
}
