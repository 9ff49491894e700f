import { Failure } from "@seriatim/protocol";

/** The extended result code of an error thrown by SQLite, or undefined for any other error. */
function resultCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("code" in error)) return undefined;
  return typeof error.code === "string" && error.code.startsWith("SQLITE_") ? error.code : undefined;
}

/** Whether another connection held what was needed, so that the same call can succeed in a moment. */
export function isBusy(error: unknown): boolean {
  const code = resultCode(error);
  if (code === undefined) return false;
  // PROTOCOL is a lost race for the locks of the write-ahead log, not a damaged file.
  return code.startsWith("SQLITE_BUSY") || code.startsWith("SQLITE_LOCKED") || code === "SQLITE_PROTOCOL";
}

/**
 * The failure that an error of SQLite amounts to. Errors of other origin, and those that only a fault in the calling
 * SQL can cause, are returned as they are.
 */
export function toFailure(error: unknown, path: string): unknown {
  const code = resultCode(error);
  if (code === undefined) return error;
  const cause = { cause: error };
  const means = (prefix: string): boolean => code.startsWith(prefix);
  if (means("SQLITE_NOTADB")) {
    return new Failure("unreadable", `${path} is not an SQLite database; name another file`, cause);
  }
  if (means("SQLITE_CORRUPT")) {
    return new Failure("unreadable", `${path} is damaged (${code}); restore it from a backup`, cause);
  }
  if (code === "SQLITE_READONLY_DBMOVED") return movedFailure(path, error);
  if (means("SQLITE_READONLY") || means("SQLITE_PERM")) {
    const remedy = "make the file and its folder writable for this user";
    return new Failure("read_only", `${path} cannot be written (${code}); ${remedy}`, cause);
  }
  if (means("SQLITE_FULL")) {
    const message = `the disk that holds ${path} is full; nothing was written: free some space and try again`;
    return new Failure("unavailable", message, { ...cause, canRetry: true });
  }
  if (means("SQLITE_CANTOPEN") || means("SQLITE_AUTH")) {
    const remedy = "give this user access to the file, its folder, and the -wal and -shm files beside it";
    return new Failure("unavailable", `${path} cannot be opened (${code}); ${remedy}`, cause);
  }
  if (means("SQLITE_IOERR") || means("SQLITE_NOMEM")) {
    const message = `${path} cannot be accessed (${code}); check the disk and its file system`;
    return new Failure("unavailable", message, { ...cause, canRetry: true });
  }
  return error;
}

/** The failure of a COMMIT. What was asked of the disk may have reached it although it reported an error. */
export function toCommitFailure(error: unknown, path: string): unknown {
  const code = resultCode(error);
  if (code === undefined || !code.startsWith("SQLITE_IOERR")) return toFailure(error, path);
  const message = `the disk reported an error (${code}) while ${path} was committing; check the disk, then look up what was written`;
  return new Failure("unknown_outcome", message, { cause: error });
}

export function movedFailure(path: string, cause?: unknown): Failure {
  const message = `${path} was removed, moved or replaced while it was open; put it back, or open what is there now`;
  return new Failure("log_changed", message, { cause });
}
