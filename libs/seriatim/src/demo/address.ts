import type { Coordinator } from "@seriatim/client";
import { connect, open } from "../open.ts";
import type { Address } from "./messages.ts";

export function openAt(address: Address): Promise<Coordinator> {
  switch (address.log) {
    case "sqlite":
      return open(address.file);
    case "kafka":
      return connect({ brokers: [...address.brokers], space: address.space, view: address.view });
  }
}
