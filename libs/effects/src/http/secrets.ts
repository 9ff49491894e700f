export type Environment = Readonly<Record<string, string | undefined>>;

const variable = /\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g;

/** Shorter values are no secrets, and taking them out would leave holes in every text. */
const leastLength = 4;

/** What a handler's configuration takes from the environment: used in calls, and taken out of whatever is kept. */
export class Secrets {
  readonly #environment: Environment;
  readonly #values = new Set<string>();

  constructor(environment: Environment) {
    this.#environment = environment;
  }

  /** Fills in the variables. @param fail is told which one is missing. */
  expand(text: string, what: string, fail: (fault: string) => never): string {
    return text.replace(variable, (_, name: string) => {
      const value = this.#environment[name];
      if (value === undefined || value === "")
        return fail(`names the variable ${name} in its ${what}, which is not set: set it in the environment`);
      // Space around it, such as a file's last line feed, is not sent.
      this.#values.add(value.trim());
      return value;
    });
  }

  /** `text` without any of the values, such as a receiver may repeat in its answer. */
  redact(text: string): string {
    let redacted = text;
    const longestFirst = [...this.#values].toSorted((a, b) => b.length - a.length);
    for (const value of longestFirst)
      if (value.length >= leastLength) redacted = redacted.replaceAll(inAnyForm(value), "***");
    return redacted;
  }
}

/** The value as it is, and as JSON and URLs write it: which characters they escape, and how, is up to who writes. */
function inAnyForm(value: string): RegExp {
  const pattern = Array.from(value, (character) => `(?:${formsOf(character).map(literally).join("|")})`).join("");
  return new RegExp(pattern, "g");
}

function formsOf(character: string): string[] {
  const units = Array.from({ length: character.length }, (_, index) => hex(character.charCodeAt(index), 4));
  const bytes = Array.from(Buffer.from(character), (byte) => hex(byte, 2));
  const [unicode, percent] = [units.map((unit) => `\\u${unit}`).join(""), bytes.map((byte) => `%${byte}`).join("")];
  // Hex digits come in either case, behind a prefix that does not.
  const escaped = [unicode, percent].flatMap((text) => [
    text,
    text.replaceAll(/[A-F]/g, (digit) => digit.toLowerCase()),
  ]);
  // The only one that JSON allows to be escaped in short, and that JavaScript does not.
  if (character === "/") escaped.push(String.raw`\/`);
  return [character, JSON.stringify(character).slice(1, -1), ...escaped];
}

function hex(code: number, digits: number): string {
  return code.toString(16).toUpperCase().padStart(digits, "0");
}

function literally(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, String.raw`\$&`);
}
