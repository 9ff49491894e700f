import type { ForeignHistory, ForeignTransaction, Operation, Predicate, Status, Value } from "../history.ts";
import { readEdn, textOf, type Edn, type EdnEntry } from "./edn.ts";
import { malformed } from "./malformed.ts";

/** One line of an Elle history: an invocation, or how it ended. */
interface Event {
  readonly type: "invoke" | "ok" | "fail" | "info";
  readonly f: string | null;
  readonly process: string | null;
  readonly value: Edn;
  readonly line: number | undefined;
}

/** A micro-operation as it stands: its function and what follows. */
interface Step {
  readonly f: string;
  readonly parts: readonly Edn[];
}

export function readElleEdn(text: string, file: string): ForeignHistory {
  const events: Event[] = [];
  for (const { value, line } of readEdn(text, file))
    for (const form of Array.isArray(value) ? (value as readonly Edn[]) : [value])
      events.push(eventOf(form, file, line));
  return historyOf(events, file, "Elle, EDN");
}

export function readElleJson(text: string, file: string): ForeignHistory {
  const events = jsonForms(text, file).map(({ value, line }) => eventOf(ednOf(value), file, line));
  return historyOf(events, file, "Elle, JSON");
}

/** One array of events, or one event a line. */
function jsonForms(text: string, file: string): { value: unknown; line: number | undefined }[] {
  if (text.trimStart().startsWith("[")) {
    const all: unknown = parsed(text, file, undefined);
    return (all as unknown[]).map((value) => ({ value, line: undefined }));
  }
  return text
    .split("\n")
    .flatMap((line, at) => (line.trim() === "" ? [] : [{ value: parsed(line, file, at + 1), line: at + 1 }]));
}

function parsed(text: string, file: string, line: number | undefined): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw malformed(
      { file, ...(line === undefined ? {} : { line }) },
      error instanceof Error ? error.message : "no JSON",
    );
  }
}

function ednOf(value: unknown): Edn {
  if (Array.isArray(value)) return value.map(ednOf);
  if (typeof value === "object" && value !== null)
    return new Map(Object.entries(value).map(([key, item]) => [key, { key, value: ednOf(item) }]));
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean" ? value : null;
}

function eventOf(form: Edn, file: string, line: number | undefined): Event {
  const place = { file, ...(line === undefined ? {} : { line }) };
  if (!(form instanceof Map)) throw malformed(place, `expected a map like {:type :ok, …}, found ${abbreviated(form)}`);
  const field = (name: string): Edn => {
    const entries = form as ReadonlyMap<string, EdnEntry>;
    return (entries.get(`:${name}`) ?? entries.get(name))?.value ?? null;
  };
  const type = bare(field("type"));
  if (type !== "invoke" && type !== "ok" && type !== "fail" && type !== "info")
    throw malformed(place, `an event's type is invoke, ok, fail or info, not ${type}`);
  const process = field("process");
  const f = field("f");
  return {
    type,
    f: f === null ? null : bare(f),
    process: process === null ? null : textOf(process),
    value: field("value"),
    line,
  };
}

function historyOf(events: readonly Event[], file: string, format: string): ForeignHistory {
  const isList = events.some(({ value }) => stepsIn(value)?.some(({ f }) => f === "append") === true);
  const initial = new Map<string, Value>();
  const transactions: ForeignTransaction[] = [];
  const open = new Map<string | null, { event: Event; at: number }>();
  let skipped = 0;
  const add = (event: Event, invoked: { event: Event; at: number } | undefined, end: number | null): void => {
    const told = event.type === "ok" ? event : (invoked?.event ?? event);
    const operations = operationsOf(told, isList, file);
    if (operations === undefined) skipped += 1;
    else
      transactions.push({
        kind: "foreign",
        name: `T${transactions.length + 1}`,
        session: event.process,
        status: statusOf(event),
        operations,
        begin: invoked?.at ?? null,
        end,
      });
  };
  const addOpen = (invoked: { event: Event; at: number }): void =>
    add({ ...invoked.event, type: "info" }, invoked, null);
  for (const [at, event] of events.entries()) {
    const invoked = open.get(event.process);
    if (event.type === "invoke") {
      // One that went on although nobody knows how its last transaction ended.
      if (invoked !== undefined) addOpen(invoked);
      open.set(event.process, { event, at });
      continue;
    }
    open.delete(event.process);
    if (event.f !== "init") add(event, invoked, event.type === "info" ? null : at);
    else if (event.type === "ok") addInitial(initial, event.value);
  }
  for (const invoked of open.values()) addOpen(invoked);
  if (transactions.length === 0 && skipped > 0)
    throw malformed(
      { file },
      "none of its events is a transaction of Elle's list-append, rw-register or closed-predicate workloads",
    );
  return { kind: "foreign", format, transactions, initial, assumptions: [], skipped };
}

function statusOf({ type }: Event): Status {
  if (type === "ok") return "committed";
  return type === "fail" ? "aborted" : "indeterminate";
}

function addInitial(initial: Map<string, Value>, values: Edn): void {
  if (values instanceof Map)
    for (const { key, value } of (values as ReadonlyMap<string, EdnEntry>).values())
      initial.set(textOf(key), textOf(value));
}

function stepsIn(value: Edn): Step[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const steps = (value as readonly Edn[]).map((step) => {
    if (!Array.isArray(step) || step.length < 2) return undefined;
    const [f, ...parts] = step as readonly Edn[];
    return { f: bare(f ?? null), parts };
  });
  return steps.includes(undefined) ? undefined : (steps as Step[]);
}

/** Undefined where the event is no transaction. */
function operationsOf(event: Event, isList: boolean, file: string): Operation[] | undefined {
  return stepsIn(event.value)?.map((step) => {
    const operation = operationOf(step, isList);
    if (operation !== undefined) return operation;
    const place = { file, ...(event.line === undefined ? {} : { line: event.line }) };
    throw malformed(place, `[${step.f} ${step.parts.map(textOf).join(" ")}] is no operation that is known here`);
  });
}

function operationOf({ f, parts: [first = null, second = null] }: Step, isList: boolean): Operation | undefined {
  const key = textOf(first);
  switch (f) {
    case "append":
      return { kind: "append", key, value: textOf(second) };
    case "r":
      if (isList || Array.isArray(second)) return { kind: "read_list", key, values: itemsOf(second) };
      return { kind: "read", key, value: second === null ? null : textOf(second) };
    case "w":
    case "insert":
      return { kind: "write", key, value: textOf(second) };
    case "delete":
      return { kind: "write", key, value: null };
    case "rp": {
      const predicate = predicateOf(first);
      return predicate && { kind: "read_predicate", predicate, found: foundIn(second) };
    }
    default:
      return undefined;
  }
}

function itemsOf(list: Edn): Value[] {
  return Array.isArray(list) ? (list as readonly Edn[]).map(textOf) : [];
}

function foundIn(found: Edn): ReadonlyMap<string, Value> {
  const values = found instanceof Map ? Array.from((found as ReadonlyMap<string, EdnEntry>).values()) : [];
  return new Map(values.map(({ key, value }) => [textOf(key), textOf(value)]));
}

/** `:true`, `[:= value]` and `[:mod divisor rest]`. */
function predicateOf(form: Edn): Predicate | undefined {
  const text = textOf(form);
  if (bare(form) === "true") return { text, matches: () => true };
  if (!Array.isArray(form)) return undefined;
  const [name = null, first = null, second = null] = form as readonly Edn[];
  if (bare(name) === "=") return { text, matches: (value) => value === textOf(first) };
  if (bare(name) === "mod" && typeof first === "number" && typeof second === "number")
    return { text, matches: (value) => Number(value) % first === second };
  return undefined;
}

function bare(form: Edn): string {
  return textOf(form).replace(/^:/, "");
}

function abbreviated(form: Edn): string {
  const text = textOf(form);
  return text.length <= 40 ? text : `${text.slice(0, 37)}...`;
}
