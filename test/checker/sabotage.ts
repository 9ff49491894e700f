/*
 * A sequencer that breaks one rule. It is the real one: what is broken is what it is told (of the intent, of the state, of
 * the space) or what becomes of its verdicts, so that the rest of it stays as it is.
 */
import { beforeGenesis, createCodec, encodeGenesis, sha256 } from "@seriatim/protocol";
import type { Cancel, RecordCodec, Submit, Verdict } from "@seriatim/protocol";
import { decide, evolve, initialState } from "../../services/sequencer/src/core/index.ts";
import type { IntentsRecord, Rules, State } from "../../services/sequencer/src/core/index.ts";
import { genesisOf } from "../core/partition.ts";
import type { BothLogs } from "./stored-space.ts";

export interface Sabotage {
  /** What it takes an intent to be. */
  readonly intent?: (intent: Submit) => Submit;
  /** What it is told of the state. */
  readonly state?: (state: State) => State;
  /** What it takes the window to be. */
  readonly window?: number;
  /** What it remembers of a verdict. */
  readonly remembered?: (verdict: Verdict) => Verdict;
  /** What stands in the verdicts log in place of its verdicts; their chain is made anew. */
  readonly log?: (verdicts: readonly Verdict[]) => readonly Omit<Verdict, "chain">[];
}

export const window = 8;

/** A partition whose intents a sequencer decides; the genesis stands at offset 0. */
export class SabotagedPartition {
  readonly genesis = genesisOf(1, { window, partitionKeys: 0 });
  readonly #codec = createCodec(this.genesis, sha256);
  readonly #records: IntentsRecord[] = [];

  constructor() {
    this.append(encodeGenesis(this.genesis));
  }

  append(what: Submit | Cancel | Uint8Array): void {
    const bytes = what instanceof Uint8Array ? what : this.#codec.encodeIntent(what);
    const offset = this.#records.length;
    this.#records.push({ offset, appendTime: 1_000 + offset, bytes, digest: sha256(bytes) });
  }

  /** What then stands in the logs. */
  decidedWith(sabotage: Sabotage): BothLogs {
    const verdicts = this.#verdicts(sabotage);
    const logged = sabotage.log === undefined ? verdicts : sabotage.log(verdicts);
    return {
      intents: this.#records.map(({ offset, appendTime: time, bytes: value }) => ({ offset, time, value })),
      verdicts: chained(logged, this.#codec).map((value, offset) => ({ offset, time: 0, value })),
    };
  }

  #verdicts({ intent, state: told = (state) => state, remembered, window: believed = window }: Sabotage): Verdict[] {
    const decodeIntent: Rules["codec"]["decodeIntent"] = (bytes) => {
      const record = this.#codec.decodeIntent(bytes);
      return record.kind === "submit" ? (intent?.(record) ?? record) : record;
    };
    const genesis = { ...this.genesis, limits: { ...this.genesis.limits, window: believed } };
    const rules: Rules = {
      genesis,
      codec: { encodeVerdict: (draft) => this.#codec.encodeVerdict(draft), decodeIntent },
    };
    const state = initialState(window);
    return this.#records.map((record) => {
      const { verdict } = decide(rules, 0, state.head, told(state), record);
      evolve(state, remembered?.(verdict) ?? verdict);
      return verdict;
    });
  }
}

/** The bytes of verdicts, each linked to the one before it. */
function chained(verdicts: readonly Omit<Verdict, "chain">[], codec: RecordCodec): Uint8Array[] {
  let predecessor = beforeGenesis;
  return verdicts.map((verdict) => {
    const { bytes, chain } = codec.encodeVerdict({ ...verdict, predecessor });
    predecessor = { offset: verdict.offset, chain };
    return bytes;
  });
}
