import type { Version } from "@seriatim/protocol";
import type { ConflictDetail } from "./result.ts";

/** A value is shown up to so many characters. */
const shownCharacters = 200;

/**
 * What changed, by whom and when, and what is there now. Without a full stop.
 * @param wasThere whether the key was there at the refused intent's snapshot; undefined when that is not known.
 */
export function conflictMessage(detail: ConflictDetail, wasThere: boolean | undefined): string {
  const key = JSON.stringify(detail.key);
  const by = `by agent ${JSON.stringify(detail.agent)} (intent ${detail.intent ?? "unknown"}) at version ${text(detail.version)}`;
  return `${key}${happening(detail, by, wasThere)}; ${now(detail)}`;
}

function happening({ kind, deleted, yours }: ConflictDetail, by: string, wasThere: boolean | undefined): string {
  const done = verb(deleted, wasThere);
  // What was written may have been read as well, which at level snapshot is not checked.
  switch (kind === "write" && yours === "range" ? "range" : kind) {
    case "point":
      return ` was ${done} ${by}${after(yours)}`;
    case "range":
      if (deleted) return ` was deleted ${by} from the range that you read`;
      return wasThere === false
        ? ` appeared in the range that you read, written ${by}`
        : ` was changed ${by} inside the range that you read`;
    case "write":
      if (yours === "unknown") return `, which it writes, was ${done} ${by}, after its snapshot`;
      if (yours !== "unread") return ` was ${done} ${by}${after(yours)}`;
      return `, which you write without having read it, was ${done} ${by}, after your snapshot`;
  }
}

function verb(deleted: boolean, wasThere: boolean | undefined): string {
  if (deleted) return "deleted";
  return wasThere === false ? "created" : "changed";
}

function after(yours: ConflictDetail["yours"]): string {
  if (typeof yours === "object") return `, after you read it at ${text(yours)}`;
  return yours === "absent" ? ", after you found it absent" : ", after it was read";
}

function now({ value }: ConflictDetail): string {
  return value === undefined ? "it is absent now" : `it now holds ${shown(value)}`;
}

function shown(value: unknown): string {
  if (value instanceof Uint8Array) return `${value.length} raw bytes`;
  const json = JSON.stringify(value);
  if (json.length <= shownCharacters) return json;
  return `${json.slice(0, shownCharacters).toWellFormed()}... (${json.length} characters of JSON)`;
}

export function text({ partition, offset }: Version): string {
  return `${partition}@${offset}`;
}
