/** One thing measured. */
export interface Figure {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  /** What else belongs to it: batch sizes, shares, durability. */
  readonly note?: string;
}

/** Two figures of the same run, one in the other. */
export interface Ratio {
  readonly name: string;
  readonly value: number;
  /** What it is meant to be, where there is such an aim. */
  readonly target?: { readonly least: number } | { readonly most: number };
}

export interface Report {
  readonly part: string;
  readonly figures: readonly Figure[];
  readonly ratios: readonly Ratio[];
  /** Why the part was not measured. */
  readonly skipped?: string;
}

/** One part of the benchmark. */
export interface Part {
  readonly name: string;
  /** What it measures, in a few words. */
  readonly about: string;
  run(options: Options): Promise<Report>;
}

export interface Options {
  /** How long each single measurement lasts, in seconds. */
  readonly seconds: number;
  /** How many versions a view is rebuilt from, where the command says so. */
  readonly versions: number;
  /** A folder for files, which goes with the run. */
  readonly folder: string;
  /** Progress, for people. */
  readonly say: (text: string) => void;
}

export function isReached({ value, target }: Ratio): boolean | undefined {
  if (target === undefined) return undefined;
  return "least" in target ? value >= target.least : value <= target.most;
}

export function textOf({ part, figures, ratios, skipped }: Report): string {
  const lines = [`\n${part}`];
  if (skipped !== undefined) lines.push(`  skipped: ${skipped}`);
  for (const { name, value, unit, note = "" } of figures)
    lines.push(`  ${name.padEnd(46)} ${number(value).padStart(10)} ${unit.padEnd(14)} ${note}`.trimEnd());
  for (const ratio of ratios)
    lines.push(`  ${ratio.name.padEnd(76)} ${ratio.value.toFixed(2).padStart(6)} ${aim(ratio)}`.trimEnd());
  return `${lines.join("\n")}\n`;
}

function aim(ratio: Ratio): string {
  const { target } = ratio;
  if (target === undefined) return "";
  const words = "least" in target ? `at least ${target.least}` : `at most ${target.most}`;
  return `(${words}: ${isReached(ratio) === true ? "reached" : "missed"})`;
}

function number(value: number): string {
  if (value >= 100) return Math.round(value).toLocaleString("en-US");
  return value.toPrecision(3);
}
