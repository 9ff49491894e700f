import { malformed } from "./malformed.ts";

/** A keyword or symbol, apart from a string of the same letters. */
export class Name {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** What a form of EDN says. Numbers that JavaScript does not hold exactly are kept as {@link Name}s of their digits. */
export type Edn = null | boolean | number | string | Name | readonly Edn[] | ReadonlyMap<string, EdnEntry>;

/** An entry of a map, by the text of its key. */
export interface EdnEntry {
  readonly key: Edn;
  readonly value: Edn;
}

export interface EdnForm {
  readonly value: Edn;
  readonly line: number;
}

const delimiters = new Set(["(", ")", "[", "]", "{", "}", '"', ";", " ", ",", "\n", "\r", "\t"]);
const closers = new Map([
  ["(", ")"],
  ["[", "]"],
  ["{", "}"],
]);

/** The forms that stand one after another in a text. */
export function* readEdn(text: string, file: string): Generator<EdnForm> {
  const reader = new EdnReader(text, file);
  for (;;) {
    const form = reader.next();
    if (form === undefined) return;
    yield form;
  }
}

class EdnReader {
  readonly #text: string;
  readonly #file: string;
  #at = 0;
  #line = 1;

  constructor(text: string, file: string) {
    this.#text = text;
    this.#file = file;
  }

  next(): EdnForm | undefined {
    this.#skip();
    if (this.#at >= this.#text.length) return undefined;
    const line = this.#line;
    return { value: this.#form(), line };
  }

  #form(): Edn {
    this.#skip();
    const char = this.#text[this.#at];
    if (char === undefined) throw this.#wrong("the file ends within a form");
    if (char === "(" || char === "[") return this.#items(char);
    if (char === "{") return mapOf(this.#items(char));
    if (char === '"') return this.#string();
    if (char === "#") return this.#dispatch();
    if (char === ")" || char === "]" || char === "}") throw this.#wrong(`"${char}" closes nothing`);
    return this.#atom();
  }

  #items(open: string): Edn[] {
    const close = closers.get(open);
    const line = this.#line;
    this.#at += 1;
    const items: Edn[] = [];
    for (;;) {
      this.#skip();
      const char = this.#text[this.#at];
      if (char === undefined) throw this.#wrong(`the file ends before the "${open}" of line ${line} is closed`);
      if (char === close) break;
      items.push(this.#form());
    }
    this.#at += 1;
    if (open === "{" && items.length % 2 === 1) throw this.#wrong("a map has a key without a value");
    return items;
  }

  #string(): string {
    const end = /(?:[^"\\]|\\.)*"/sy;
    end.lastIndex = this.#at + 1;
    const [quoted] = end.exec(this.#text) ?? [];
    if (quoted === undefined) throw this.#wrong("a string is not closed");
    this.#at += quoted.length + 1;
    this.#line += quoted.split("\n").length - 1;
    return quoted.slice(0, -1).replaceAll(/\\(.)/gs, (_, char: string) => escapes.get(char) ?? char);
  }

  /** Sets are read as lists; the tag of a tagged value is read over, and what it tags is taken. */
  #dispatch(): Edn {
    if (this.#text[this.#at + 1] === "{") {
      this.#at += 1;
      return this.#set();
    }
    this.#at += 1;
    this.#atom();
    return this.#form();
  }

  #set(): Edn[] {
    const items: Edn[] = [];
    this.#at += 1;
    for (this.#skip(); this.#text[this.#at] !== "}"; this.#skip()) items.push(this.#form());
    this.#at += 1;
    return items;
  }

  #atom(): Edn {
    const start = this.#at;
    while (this.#at < this.#text.length && !delimiters.has(this.#text[this.#at] ?? "")) this.#at += 1;
    const word = this.#text.slice(start, this.#at);
    if (word === "") throw this.#wrong(`"${this.#text[start] ?? ""}" begins no form`);
    if (word === "nil") return null;
    if (word === "true" || word === "false") return word === "true";
    if (!/^[+-]?\d/.test(word)) return new Name(word);
    const number = Number(word.replace(/[NM]$/, ""));
    if (Number.isNaN(number)) throw this.#wrong(`"${word}" is no number`);
    return Number.isSafeInteger(number) || !Number.isInteger(number) ? number : new Name(word);
  }

  /** Blanks, comments, and forms that `#_` takes out. */
  #skip(): void {
    for (;;) {
      const char = this.#text[this.#at];
      if (char === "\n") this.#line += 1;
      if (char === " " || char === "," || char === "\n" || char === "\r" || char === "\t") this.#at += 1;
      else if (char === ";") this.#at = endOfLine(this.#text, this.#at);
      else if (char === "#" && this.#text[this.#at + 1] === "_") {
        this.#at += 2;
        this.#form();
      } else return;
    }
  }

  #wrong(what: string): Error {
    return malformed({ file: this.#file, line: this.#line }, what);
  }
}

const escapes = new Map([
  ["n", "\n"],
  ["t", "\t"],
  ["r", "\r"],
]);

function endOfLine(text: string, at: number): number {
  const end = text.indexOf("\n", at);
  return end === -1 ? text.length : end;
}

function mapOf(items: readonly Edn[]): ReadonlyMap<string, EdnEntry> {
  const map = new Map<string, EdnEntry>();
  for (let at = 0; at < items.length; at += 2) {
    const key = items[at] ?? null;
    map.set(textOf(key), { key, value: items[at + 1] ?? null });
  }
  return map;
}

/** A form as text: equal forms are equal texts. */
export function textOf(form: Edn): string {
  if (form === null) return "nil";
  if (form instanceof Name) return form.text;
  if (typeof form === "string") return form;
  if (typeof form !== "object") return String(form);
  if (form instanceof Map) {
    const entries = Array.from(form.values() as Iterable<EdnEntry>);
    return `{${entries.map(({ key, value }) => `${textOf(key)} ${textOf(value)}`).join(", ")}}`;
  }
  return `[${(form as readonly Edn[]).map(textOf).join(" ")}]`;
}
