export * from "./codec.ts";
export * from "./failure.ts";
export { createGenesis, currentRules, decodeGenesis, encodeGenesis, isGenesis, spaceName } from "./genesis.ts";
export * from "./hash.ts";
export * from "./keys.ts";
export { checkGenesis, defaultLimits, leastVerdictBytes } from "./limits.ts";
export * from "./partitioner.ts";
export { currentSchemas } from "./schemas.ts";
export * from "./types.ts";
