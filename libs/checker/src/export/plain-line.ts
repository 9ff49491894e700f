import {
  toBytes,
  type Bytes,
  type Digest,
  type Isolation,
  type KeyRange,
  type Offset,
  type Point,
  type Submit,
  type Write,
} from "@seriatim/protocol";
import { committed } from "../audit/draft.ts";
import type { DecidedItem } from "../space/items.ts";
import { LineIntent } from "./line-intent.ts";
import { digestOf, type LineContext } from "./read-lines.ts";

/**
 * A committed transaction, off a line that stands as `seriatim export` writes it: fields in its order, without blanks.
 * That takes a third of the time of JSON.parse, and most lines are such. Undefined for every other line, right or wrong:
 * it is to be parsed.
 */
export function plainItem(line: string, context: LineContext): DecidedItem | undefined {
  return new PlainLine(line).item(context);
}

const none: readonly never[] = [];
const zero = 0x30;
const quote = 0x22;
/** With more digits it may not be safe. */
const mostDigits = 15;

class PlainLine {
  readonly #text: string;
  #at = 0;
  /** Set by whatever finds another form: what was read is worth nothing then. */
  #isOther = false;

  constructor(text: string) {
    this.#text = text;
  }

  item(context: LineContext): DecidedItem | undefined {
    const partition = this.#takes('{"partition":') ? this.#number() : 0;
    if (!this.#takes(partition === 0 ? '{"offset":' : ',"offset":')) return undefined;
    const offset = this.#number();
    const time = this.#takes(',"time":') ? this.#number() : 0;
    const record = this.#submit(partition, context.codec.genesis.space);
    if (!this.#takes(',"outcome":"committed"')) return undefined;
    const chain = this.#chain(context);
    if (!this.#takes("}") || this.#at !== this.#text.length || this.#isOther) return undefined;
    return {
      kind: "decided",
      partition,
      intent: new LineIntent(offset, time, record, context),
      outcome: committed(record),
      chain,
    };
  }

  #chain({ hasGenesis }: LineContext): Digest | undefined {
    if (!hasGenesis || !this.#takes(',"chain":')) return undefined;
    const chain = digestOf(this.#string());
    if (chain === undefined) this.#isOther = true;
    return chain;
  }

  #submit(partition: number, space: Bytes): Submit {
    const id = this.#field(',"id":');
    const agent = this.#field(',"agent":');
    this.#must(',"snapshot":');
    const snapshot = this.#number();
    const isolation = this.#isolation();
    const points = this.#takes(',"points":[') ? this.#list(() => this.#point()) : none;
    const ranges = this.#takes(',"ranges":[') ? this.#list(() => this.#range()) : none;
    const writes = this.#takes(',"writes":[') ? this.#list(() => this.#write()) : none;
    const result = this.#takes(',"result":') ? Buffer.from(this.#string(), "utf8") : null;
    return {
      kind: "submit",
      space,
      partition,
      id,
      agent,
      snapshot,
      isolation,
      points,
      ranges,
      writes,
      effects: none,
      holds: none,
      validFrom: null,
      validUntil: null,
      result,
    };
  }

  #isolation(): Isolation {
    if (this.#takes(',"isolation":"snapshot"')) return "snapshot";
    return this.#takes(',"isolation":"none"') ? "none" : "serializable";
  }

  #list<Entry>(entry: () => Entry): Entry[] {
    const entries: Entry[] = [];
    do {
      this.#must("[");
      entries.push(entry());
      this.#must("]");
    } while (!this.#isOther && this.#takes(","));
    this.#must("]");
    return entries;
  }

  #point(): Point {
    const key = toBytes(this.#string());
    this.#must(",");
    return { key, version: this.#version() };
  }

  #version(): Offset | null {
    return this.#takes("null") ? null : this.#number();
  }

  #range(): KeyRange {
    const from = toBytes(this.#string());
    this.#must(",");
    return { from, to: toBytes(this.#string()) };
  }

  #write(): Write {
    const key = toBytes(this.#string());
    this.#must(",");
    const value = this.#takes("null") ? null : Buffer.from(this.#string(), "utf8");
    return { key, value, blind: this.#takes(",true") };
  }

  #field(name: string): string {
    this.#must(name);
    return this.#string();
  }

  #takes(text: string): boolean {
    if (!this.#text.startsWith(text, this.#at)) return false;
    this.#at += text.length;
    return true;
  }

  #must(text: string): void {
    if (!this.#takes(text)) this.#isOther = true;
  }

  #number(): number {
    const start = this.#at;
    let value = 0;
    for (let digit = this.#digit(); digit >= 0 && digit <= 9; digit = this.#digit()) {
      value = value * 10 + digit;
      this.#at += 1;
    }
    const digits = this.#at - start;
    const isPadded = digits > 1 && this.#text.charCodeAt(start) === zero;
    if (digits === 0 || digits > mostDigits || isPadded) this.#isOther = true;
    return value;
  }

  #digit(): number {
    return this.#text.charCodeAt(this.#at) - zero;
  }

  /** One with an escape is left to JSON. */
  #string(): string {
    const start = this.#at + 1;
    const end = this.#text.indexOf('"', start);
    if (this.#text.charCodeAt(this.#at) !== quote || end < 0) {
      this.#isOther = true;
      return "";
    }
    const text = this.#text.slice(start, end);
    if (text.includes("\\")) return this.#escaped(start);
    this.#at = end + 1;
    return text;
  }

  #escaped(start: number): string {
    let end = start;
    while (end < this.#text.length && this.#text.charCodeAt(end) !== quote)
      end += this.#text.charCodeAt(end) === 0x5c ? 2 : 1;
    this.#at = end + 1;
    const text = parsedString(this.#text.slice(start - 1, end + 1));
    if (text === undefined || !text.isWellFormed()) this.#isOther = true;
    return text ?? "";
  }
}

function parsedString(literal: string): string | undefined {
  try {
    return JSON.parse(literal) as string;
  } catch {
    return undefined;
  }
}
