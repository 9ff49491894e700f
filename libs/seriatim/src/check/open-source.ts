import {
  openExportSource,
  openFileSource,
  openKafkaSource,
  type LogName,
  type Slice,
  type SpaceSource,
} from "@seriatim/checker";
import { topicsOf } from "../kafka-logs.ts";
import type { Checked, ForeignChecked } from "./checked.ts";

export interface SourceOptions {
  readonly slice: Slice;
  readonly logs: readonly LogName[] | undefined;
}

/** @throws what opening it throws. */
export async function openSource(
  checked: Exclude<Checked, ForeignChecked>,
  { slice, logs }: SourceOptions,
): Promise<SpaceSource> {
  switch (checked.kind) {
    case "file":
      return openFileSource(checked.path, slice, logs);
    case "history":
      return checked.format === "embedded"
        ? openFileSource(checked.path, slice, logs)
        : openExportSource(checked.path, slice);
    case "kafka":
      // Looks at the name before the broker does.
      topicsOf(checked.space);
      return openKafkaSource({ ...checked, logs, slice });
  }
}
