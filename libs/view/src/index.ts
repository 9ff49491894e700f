export { newest } from "./types.ts";
export { follow, type Advance, type Alarm, type Following, type FollowOptions } from "./follower.ts";
export type * from "./types.ts";
export { View } from "./view.ts";
export { verifyPosition, type VerifyOptions } from "./verify.ts";
