import { existsSync } from "node:fs";
import { Failure } from "@seriatim/protocol";
import { EmbeddedSpace } from "../embedded-space.ts";
import { KafkaSpace } from "../kafka-space.ts";
import { catchUp } from "./catch-up.ts";
import { say } from "./output.ts";
import type { Place } from "./place.ts";

export type OpenSpace = EmbeddedSpace | KafkaSpace;

export interface OpenOptions {
  /** Whether the command may write; one that only reads opens an embedded file for reading only. */
  readonly writes: boolean;
  /** How long the view of a space on Kafka may take to catch up, in ms. */
  readonly wait: number;
  readonly signal: AbortSignal;
}

/**
 * Opens the space, lets its view catch up with what the verdicts log holds now, and closes it after `work`.
 * @throws Failure `invalid_argument` when there is no such file; `not_yet` when the view did not catch up in time; what
 *   opening throws.
 */
export async function withSpace<T>(
  place: Place,
  options: OpenOptions,
  work: (space: OpenSpace) => Promise<T>,
): Promise<T> {
  return withSpaceAsItIs(place, options, async (space) => {
    if (space instanceof KafkaSpace) await catchUp(space, options);
    return work(space);
  });
}

/** As {@link withSpace}, with the view as it is. */
export async function withSpaceAsItIs<T>(
  place: Place,
  options: Pick<OpenOptions, "writes">,
  work: (space: OpenSpace) => Promise<T>,
): Promise<T> {
  const space = place.kind === "file" ? await openFile(place.path, options) : await connectTo(place);
  try {
    return await work(space);
  } finally {
    await space.close();
  }
}

/** A command that asks for something must not make a space where a path was mistyped. */
export async function openFile(path: string, { writes }: { readonly writes: boolean }): Promise<EmbeddedSpace> {
  if (!existsSync(path))
    throw new Failure(
      "invalid_argument",
      `there is no file ${path}: correct the path, or make a space with \`seriatim init --file ${path}\``,
    );
  return EmbeddedSpace.open(path, writes ? { create: false } : { readonly: true });
}

function connectTo({ brokers, space, view }: Extract<Place, { readonly kind: "kafka" }>): Promise<KafkaSpace> {
  return KafkaSpace.open({
    brokers,
    space,
    view,
    onAlarm: (alarm) => {
      if (alarm.kind === "stalled")
        say(
          `partition ${alarm.partition}: the verdict after ${alarm.partition}@${alarm.head.offset} is missing from the ` +
            "verdicts log; the view goes on when a sequencer has sent it again",
        );
    },
  });
}
