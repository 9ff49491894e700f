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
      this.#values.add(value);
      return value;
    });
  }

  /** `text` without any of the values, such as a receiver may repeat in its answer. */
  redact(text: string): string {
    let redacted = text;
    const longestFirst = [...this.#values].toSorted((a, b) => b.length - a.length);
    for (const value of longestFirst)
      if (value.length >= leastLength) for (const form of formsOf(value)) redacted = redacted.replaceAll(form, "***");
    return redacted;
  }
}

/** As it is, as it stands in a JSON text, and as it stands in a URL. */
function formsOf(value: string): Set<string> {
  return new Set([value, JSON.stringify(value).slice(1, -1), encodeURIComponent(value)]);
}
