import type { Judge } from "../judgement.ts";
import { judgeForeign } from "./foreign/judge-foreign.ts";
import { judgeLog } from "./log/judge-log.ts";

export const judge: Judge = async (history, options = {}) =>
  history.kind === "logged" ? judgeLog(history, options) : judgeForeign(history, options);
