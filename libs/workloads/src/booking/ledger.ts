/** A call as it came in. */
export interface OfficeRequest {
  readonly path: string;
  readonly key: string;
  readonly body: string;
}

export interface OfficeAnswer {
  readonly status: number;
  readonly body: unknown;
}

type State = "held" | "confirmed" | "released";

interface Reservation {
  readonly number: number;
  readonly show: string;
  readonly seat: string;
  readonly agent: string;
  state: State;
}

/** What the calls carry. */
interface Order {
  readonly show: string;
  readonly seat: string;
  readonly agent: string;
  readonly reservation?: number;
  readonly forward?: { readonly key: string } | null;
}

interface Acted {
  /** Undefined of a hold that was released before it came. */
  readonly body: string | undefined;
  readonly answer: OfficeAnswer;
}

/** What stands in the books. */
export interface LedgerReport {
  readonly requests: number;
  /** Under how many keys they came. */
  readonly keys: number;
  /** Requests that came under a key on which it had acted already; it did not act again. */
  readonly suppressed: number;
  /** Holds that came after their release, and did nothing. */
  readonly voided: number;
  /** Requests that it will never fulfil. */
  readonly refused: number;
  /** Reservations by what has become of them. */
  readonly held: number;
  readonly confirmed: number;
  readonly released: number;
  /** Confirmations it has acted on. */
  readonly confirmations: number;
  /** Who has a confirmed reservation of each seat. */
  readonly sold: Readonly<Record<string, readonly string[]>>;
}

/**
 * The books of a box office that does what it is told: it holds a seat for whoever asks, as often as it is asked, and
 * leaves it to its clients to know how many there are. It acts once for each idempotency key.
 */
export class Ledger {
  readonly #received = new Map<string, number>();
  readonly #answers = new Map<string, Acted>();
  readonly #reservations: Reservation[] = [];
  readonly #byKey = new Map<string, Reservation>();
  #suppressed = 0;
  #voided = 0;
  #refused = 0;
  #confirmations = 0;

  receive({ key }: OfficeRequest): void {
    this.#received.set(key, (this.#received.get(key) ?? 0) + 1);
  }

  /** Acts on the request, unless it has acted under its key. */
  act({ path, key, body }: OfficeRequest): OfficeAnswer {
    const earlier = this.#answers.get(key);
    if (earlier !== undefined) return this.#repeat(earlier, body);
    const answer = this.#actOn(path, key, JSON.parse(body) as Order);
    this.#answers.set(key, { body, answer });
    return answer;
  }

  #repeat({ body: first, answer }: Acted, body: string): OfficeAnswer {
    if (first === undefined) this.#voided += 1;
    else this.#suppressed += 1;
    return first === undefined || first === body ? answer : this.#refuse(422, "this key was used with other contents");
  }

  report(): LedgerReport {
    const requests = [...this.#received.values()].reduce((sum, count) => sum + count, 0);
    const inState = (state: State): Reservation[] => this.#reservations.filter((each) => each.state === state);
    const sold: Record<string, string[]> = {};
    for (const { seat, agent } of inState("confirmed")) (sold[seat] ??= []).push(agent);
    return {
      requests,
      keys: this.#received.size,
      suppressed: this.#suppressed,
      voided: this.#voided,
      refused: this.#refused,
      held: inState("held").length,
      confirmed: inState("confirmed").length,
      released: inState("released").length,
      confirmations: this.#confirmations,
      sold,
    };
  }

  #actOn(path: string, key: string, order: Order): OfficeAnswer {
    switch (path) {
      case "/hold":
        return this.#hold(key, order);
      case "/confirm":
        return this.#confirm(order);
      case "/release":
        return this.#release(order);
      default:
        return this.#refuse(404, `there is no ${path}`);
    }
  }

  #hold(key: string, { show, seat, agent }: Order): OfficeAnswer {
    const made: Reservation = { number: this.#reservations.length + 1, show, seat, agent, state: "held" };
    this.#reservations.push(made);
    this.#byKey.set(key, made);
    return { status: 201, body: { reservation: made.number } };
  }

  #confirm({ show, reservation = 0 }: Order): OfficeAnswer {
    const found = this.#reservations[reservation - 1];
    if (found?.show !== show) return this.#refuse(404, `there is no reservation ${reservation} of ${show}`);
    if (found.state !== "held") return this.#refuse(409, `reservation ${reservation} is ${found.state}`);
    found.state = "confirmed";
    this.#confirmations += 1;
    return { status: 200, body: { confirmed: reservation } };
  }

  /** Of a hold that has not arrived: it is answered before it comes. */
  #release({ forward }: Order): OfficeAnswer {
    if (forward === undefined || forward === null) return this.#refuse(400, "the release names no hold");
    const found = this.#byKey.get(forward.key);
    if (found === undefined) {
      const answer = { status: 410, body: "this hold was released before it came" };
      this.#answers.set(forward.key, { body: undefined, answer });
    } else if (found.state === "confirmed") return this.#refuse(409, `reservation ${found.number} is confirmed`);
    else found.state = "released";
    return { status: 200, body: { released: found?.number ?? null } };
  }

  #refuse(status: number, body: string): OfficeAnswer {
    this.#refused += 1;
    return { status, body };
  }
}
