export * from "./failure.ts";
export * from "./keys.ts";
export * from "./types.ts";
