import { Failure } from "@seriatim/protocol";
import type { ForeignHistory } from "../../history.ts";
import type { Judgement } from "../../judgement.ts";

/** @throws Failure `invalid_argument`: only logs are judged so far. */
export function judgeForeign(history: ForeignHistory): Judgement {
  throw new Failure("invalid_argument", `histories of the format ${history.format} are not judged yet, only logs`);
}
