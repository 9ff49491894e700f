export { newest } from "./types.ts";
export type * from "./types.ts";
export { View } from "./view.ts";
