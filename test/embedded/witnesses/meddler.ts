import { Buffer } from "node:buffer";
import type { Random } from "@seriatim/log";
import { emptyIntent, sha256, toKey } from "@seriatim/protocol";
import { EmbeddedSequencer } from "@seriatim/sequencer";
import type { EmbeddedSpace } from "../../../libs/seriatim/src/embedded-space.ts";
import { anyKey, busyKey } from "./choices.ts";

/** Commits at once, between any two statements of others, as only another process can. */
export class Meddler {
  readonly #space: EmbeddedSpace;
  readonly #sequencer: EmbeddedSequencer;
  readonly #random: Random;
  #count = 0;

  constructor(space: EmbeddedSpace, random: Random) {
    this.#space = space;
    this.#sequencer = new EmbeddedSequencer({ ...partsOf(space), hash: sha256 });
    this.#random = random;
  }

  /** Writes or deletes a key, or two; in rare cases what nobody can read. Not while somebody else writes. */
  meddle(): void {
    const { database } = this.#space.file;
    const id = `meddler-${++this.#count}`;
    const keys = new Set([anyKey(this.#random), busyKey(this.#random)]);
    const writes = Array.from(keys, (key) => ({ key: toKey(key), value: this.#value(id), blind: true }));
    const { codec, genesis, view } = this.#space;
    try {
      database.exec("BEGIN IMMEDIATE");
    } catch {
      return;
    }
    const snapshot = view.applied(0);
    const intent = { ...emptyIntent, space: genesis.space, agent: "meddler", id, snapshot, writes };
    this.#sequencer.commit([{ value: codec.encodeIntent(intent) }]);
    database.exec("COMMIT");
  }

  #value(id: string): Uint8Array | null {
    if (this.#random.chance(0.4)) return null;
    return Buffer.from(this.#random.chance(0.03) ? "{" : JSON.stringify(id), "utf8");
  }
}

function partsOf({ intents, verdicts, view, codec }: EmbeddedSpace) {
  return { intents, verdicts, view, codec };
}
