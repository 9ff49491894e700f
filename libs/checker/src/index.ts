export * from "./history.ts";
export * from "./judgement.ts";
export { judge } from "./judge/judge.ts";
