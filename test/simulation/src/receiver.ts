import { CallError, defineHandlers, type Handlers } from "@seriatim/effects";

/** A call as the outside world got it. */
export interface ReceivedCall {
  readonly key: string;
  readonly partition: number;
  readonly offset: number;
  readonly intent: string;
  /** Whether its caller heard that it was made. */
  readonly isHeard: boolean;
}

/** The outside world: what agents call there is noted, and now and then the answer is lost. */
export class Receiver {
  readonly calls: ReceivedCall[] = [];

  /** The handlers of one agent. @param isLost whether the answer to the next call is */
  handlers(isLost: () => boolean): Handlers {
    return defineHandlers({
      reserve: {
        timeout: 10,
        call: (_, { key, partition, offset, intent }) => {
          const isHeard = !isLost();
          this.calls.push({ key, partition, offset, intent, isHeard });
          if (!isHeard) throw new CallError("unsettled", "the answer was lost");
          return this.calls.length;
        },
      },
      release: { call: () => null },
    });
  }
}
