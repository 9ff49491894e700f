import type { RunOptions } from "../staging/run-options.ts";

export interface BookingOptions extends RunOptions {
  readonly seats: number;
}
