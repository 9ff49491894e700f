import { statSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Coordinator, RunResult } from "@seriatim/client";
import { loadHandlers, type Handlers } from "@seriatim/effects";
import { Failure, type Isolation } from "@seriatim/protocol";

/** What the agents run, and what they call: files to read, and to begin one's own with. */
const folder = new URL("../../../../examples/booking/", import.meta.url);
const handlersFile = fileURLToPath(new URL("handlers.mjs", folder));
const bookModule = new URL("book.mjs", folder);

/** The variable in which the handlers find the address of the box office. */
const officeVariable = "BOX_OFFICE";

export interface Order {
  readonly agent: string;
  readonly show: string;
  readonly wish: string;
  readonly isolation: Isolation;
  readonly attempts: number;
}

/** As its own file describes it. */
export type Book = (
  coordinator: Coordinator,
  order: Order,
  decide: (seat: string) => Promise<void>,
) => Promise<RunResult<string | null>>;

/** What an agent needs of the example. */
export async function loadExample(): Promise<{ readonly book: Book; readonly handlers: Handlers }> {
  const handlers = await loadHandlers(exampleHandlers());
  const { book } = (await import(bookModule.href)) as { readonly book: Book };
  return { book, handlers };
}

/** The path of the module with the handlers. @throws Failure `invalid_argument` when the example is not there. */
export function exampleHandlers(): string {
  if (statSync(handlersFile, { throwIfNoEntry: false })?.isFile() === true) return handlersFile;
  throw new Failure("invalid_argument", `the example is not here: there is no ${handlersFile}; run it in a clone`);
}

export function exampleEnvironment(office: string): Record<string, string> {
  return { [officeVariable]: office };
}
