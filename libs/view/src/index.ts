export { newest } from "./types.ts";
export { follow } from "./follower.ts";
export type * from "./following.ts";
export type * from "./types.ts";
export { View } from "./view.ts";
export { verifyPosition, type VerifyOptions } from "./verify.ts";
