import { userInfo } from "node:os";

/** The agent as whom somebody at a terminal writes, unless they name another. */
export function userAgent(): string {
  return `cli:${userName()}`;
}

function userName(): string {
  try {
    return userInfo().username;
  } catch {
    // A user without an entry in the system's list, as in some containers.
    return "unknown";
  }
}
