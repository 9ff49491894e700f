export * from "./history.ts";
export * from "./judgement.ts";
