import type { Coordinator } from "@seriatim/client";
import type { Handlers } from "@seriatim/effects";
import { connect, open } from "../open.ts";

/** Where a space is, for whoever opens it. It goes to child processes as JSON. */
export type Address =
  | { readonly log: "sqlite"; readonly file: string; readonly synchronous?: "full" | "normal" }
  | { readonly log: "kafka"; readonly brokers: readonly string[]; readonly space: string; readonly view: string };

/** @param handlers of effects; in a file they are called by this process too, among others. */
export function openAt(address: Address, handlers?: Handlers): Promise<Coordinator> {
  switch (address.log) {
    case "sqlite": {
      const { file, synchronous } = address;
      return open(file, { handlers, ...(synchronous === undefined ? {} : { synchronous }) });
    }
    case "kafka": {
      const { brokers, space, view } = address;
      return connect({ brokers: [...brokers], space, view, handlers });
    }
  }
}
