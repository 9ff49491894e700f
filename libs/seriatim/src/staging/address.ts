import type { Coordinator } from "@seriatim/client";
import { connect, open } from "../open.ts";

/** Where a space is, for whoever opens it. It goes to child processes as JSON. */
export type Address =
  | { readonly log: "sqlite"; readonly file: string; readonly synchronous?: "full" | "normal" }
  | { readonly log: "kafka"; readonly brokers: readonly string[]; readonly space: string; readonly view: string };

export function openAt(address: Address): Promise<Coordinator> {
  switch (address.log) {
    case "sqlite":
      return open(address.file, address.synchronous === undefined ? {} : { synchronous: address.synchronous });
    case "kafka":
      return connect({ brokers: [...address.brokers], space: address.space, view: address.view });
  }
}
