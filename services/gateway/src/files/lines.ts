import type { RelationName } from "../memory/keys.ts";
import type { NewEntity } from "../memory/remember.ts";
import { entity, relation } from "../memory/schemas.ts";

/** One line of a memory file, with its number from 1. */
export type Line = { readonly number: number } & (
  | { readonly kind: "entity"; readonly entity: NewEntity }
  | { readonly kind: "relation"; readonly relation: RelationName }
  | Broken
);

export interface Broken {
  readonly kind: "broken";
  /** What is wrong with it, as a clause. */
  readonly fault: string;
}

const utf8 = new TextDecoder("utf-8", { fatal: true });
const lineFeed = 0x0a;

/** The lines of a memory file as the reference server writes it; empty ones are passed over. */
export function* linesOf(file: Uint8Array): Iterable<Line> {
  let number = 0;
  for (let from = 0; from < file.length;) {
    const end = file.indexOf(lineFeed, from);
    const to = end < 0 ? file.length : end;
    number += 1;
    const line = parsed(file.subarray(from, to));
    if (line !== undefined) yield { number, ...line };
    from = to + 1;
  }
}

type Parsed = Line extends infer Each ? (Each extends unknown ? Omit<Each, "number"> : never) : never;

function parsed(bytes: Uint8Array): Parsed | undefined {
  try {
    const text = utf8.decode(bytes);
    return text.trim() === "" ? undefined : itemOf(JSON.parse(text));
  } catch (error) {
    if (error instanceof SyntaxError) return broken(`it is not JSON (${error.message})`);
    return broken("it is not UTF-8");
  }
}

function itemOf(value: unknown): Parsed {
  const type = typeof value === "object" && value !== null && "type" in value ? value.type : undefined;
  if (type === "entity") {
    const { data, error } = entity.safeParse(value);
    return data === undefined ? broken(faultOf("entity", error)) : { kind: "entity", entity: data };
  }
  if (type === "relation") {
    const { data, error } = relation.safeParse(value);
    return data === undefined ? broken(faultOf("relation", error)) : { kind: "relation", relation: data };
  }
  return broken(`its "type" is ${JSON.stringify(type) ?? "missing"}, and neither "entity" nor "relation"`);
}

function faultOf(
  what: string,
  error: { readonly issues: readonly { readonly path: readonly PropertyKey[] }[] },
): string {
  const fields = new Set(error.issues.map(({ path }) => path.map(String).join(".")));
  return `it is no ${what}: ${[...fields].join(", ")} missing or of the wrong type`;
}

function broken(fault: string): Broken {
  return { kind: "broken", fault };
}

/** A memory file's text, which the reference server reads. */
export function memoryFile(entities: readonly NewEntity[], relations: readonly RelationName[]): string {
  const lines = [
    ...entities.map((each) => JSON.stringify({ type: "entity", ...each })),
    ...relations.map((each) => JSON.stringify({ type: "relation", ...each })),
  ];
  return lines.map((line) => `${line}\n`).join("");
}
