import { defaultLane, type Handler, type Handlers } from "@seriatim/effects";
import { Failure, toBytes } from "@seriatim/protocol";
import type { Effect, Limits } from "@seriatim/protocol";
import type { DeferOptions } from "./transaction.ts";
import { encodeJson } from "./values.ts";

/** What a transaction has deferred, in the order issued. */
export class EffectSet {
  readonly #limits: Limits;
  readonly #effects: Effect[] = [];

  readonly #handlers: Handlers | undefined;

  constructor(limits: Limits, handlers: Handlers | undefined) {
    this.#limits = limits;
    this.#handlers = handlers;
  }

  get effects(): readonly Effect[] {
    return this.#effects;
  }

  get isEmpty(): boolean {
    return this.#effects.length === 0;
  }

  defer(name: string, args: unknown, options: DeferOptions): void {
    const { effects, nameBytes, effectBytes } = this.#limits;
    checkLabel(name, "the name of an effect", nameBytes);
    const handler = this.#handlers === undefined ? undefined : handlerNamed(name, this.#handlers);
    const lane = options.lane ?? handler?.lane ?? defaultLane;
    checkLabel(lane, `the lane of effect ${JSON.stringify(name)}`, nameBytes);
    const bytes = argumentsWithin(name, args, effectBytes);
    if (this.#effects.length >= effects)
      throw new Failure(
        "invalid_argument",
        `this transaction has deferred ${effects} effects, which is the limit of this space (effects); ` +
          "defer one effect that does several things, or split the work over several transactions",
      );
    this.#effects.push({ name, lane, arguments: bytes });
  }
}

/** @throws Failure `invalid_argument` when it is not defined here. */
export function handlerNamed(name: string, handlers: Handlers): Handler {
  const handler = handlers.get(name);
  if (handler !== undefined) return handler;
  const known = [...handlers.keys()].map((each) => JSON.stringify(each)).join(", ");
  throw new Failure(
    "invalid_argument",
    `no handler is named ${JSON.stringify(name)}; defined are ${known === "" ? "none" : known}: define it in the handlers ` +
      "that open or connect is given",
  );
}

/** @throws Failure `invalid_argument` when they are no JSON, or longer as encoded than the space allows. */
export function argumentsWithin(name: string, args: unknown, effectBytes: number): Uint8Array {
  const what = `the arguments of ${JSON.stringify(name)}`;
  if (args === undefined)
    throw new Failure(
      "invalid_argument",
      `${what} are undefined, which JSON cannot hold; give null where it takes none`,
    );
  const bytes = encodeJson(args, what);
  if (bytes.length <= effectBytes) return bytes;
  throw new Failure(
    "invalid_argument",
    `${what} are ${bytes.length} bytes as encoded; at most ${effectBytes} are allowed in this space (effectBytes): ` +
      "store what is large elsewhere, under a key for instance, and give a reference to it",
  );
}

/** @throws Failure `invalid_argument` when it is no text, empty or too long. */
export function checkLabel(label: string, what: string, nameBytes: number): void {
  if (typeof label !== "string" || label === "" || !label.isWellFormed())
    throw new Failure("invalid_argument", `${what} is ${shown(label)}; it is a text of at least one character`);
  const { length } = toBytes(label);
  if (length > nameBytes)
    throw new Failure(
      "invalid_argument",
      `${what} is ${length} bytes long in UTF-8; at most ${nameBytes} are allowed in this space (nameBytes)`,
    );
}

function shown(label: unknown): string {
  return typeof label === "string" ? JSON.stringify(label) : String(label);
}
