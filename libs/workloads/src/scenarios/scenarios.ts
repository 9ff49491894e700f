import { canary } from "./canary.ts";
import { causalCascade } from "./causal-cascade.ts";
import { doubleClaim } from "./double-claim.ts";
import { inconsistentRead } from "./inconsistent-read.ts";
import { lostUpdate } from "./lost-update.ts";
import { mergeSkew } from "./merge-skew.ts";
import { phantomWriteSkew } from "./phantom-write-skew.ts";
import type { Scenario } from "./scenario.ts";
import { semanticReadSkew } from "./semantic-read-skew.ts";
import { staleAuthorization } from "./stale-authorization.ts";
import { staleGeneration } from "./stale-generation.ts";
import { staleRead } from "./stale-read.ts";
import { toolEffectReordering } from "./tool-effect-reordering.ts";
import { writeSkew } from "./write-skew.ts";

export const scenarios: readonly Scenario[] = [
  lostUpdate,
  inconsistentRead,
  staleRead,
  writeSkew,
  phantomWriteSkew,
  staleGeneration,
  doubleClaim,
  canary,
  staleAuthorization,
  mergeSkew,
  semanticReadSkew,
  toolEffectReordering,
  causalCascade,
];
