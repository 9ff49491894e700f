import { embedded } from "./embedded.ts";
import { kafka } from "./kafka.ts";
import { postgres } from "./postgres.ts";
import { rebuild } from "./rebuild.ts";
import type { Part } from "./report.ts";
import { time } from "./time.ts";
import { tree } from "./tree.ts";

/** In the order in which they are measured. */
export const parts: readonly Part[] = [embedded, time, postgres, tree, rebuild, kafka];
