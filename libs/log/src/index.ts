export * from "./port.ts";
export { SqliteFile } from "./sqlite/file.ts";
export type { SqliteFileOptions } from "./sqlite/opening.ts";
export type { WaitOptions } from "./sqlite/queue.ts";
