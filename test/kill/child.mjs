// What the processes under attack share: they report on stdout, one JSON object a line, before they go on.
import { connect, open } from "seriatim";

export function tell(line) {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

/** Opens the space, however long its broker takes to come back. */
export async function openPatiently(place, options) {
  for (;;) {
    try {
      return "file" in place ? await open(place.file, options) : await connect({ ...place, ...options });
    } catch (error) {
      if (error.canRetry !== true) end(error);
    }
  }
}

/** What an attack may bring about: whoever meets it looks again, and nothing is lost. */
export const passing = ["unavailable", "unknown_outcome", "not_yet"];

/** Nothing that an attack may do excuses this error. */
export function end(error) {
  process.stderr.write(`${error.code ?? "defect"}: ${error.stack}\n`);
  process.exit(70);
}
