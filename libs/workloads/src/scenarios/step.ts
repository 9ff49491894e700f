import type { Version } from "@seriatim/protocol";

/** One thing that happened in a scenario. */
export type Step = { readonly agent: string } & (
  | { readonly kind: "given" | "reads" | "writes"; readonly key: string; readonly value: unknown }
  | { readonly kind: "finds"; readonly prefix: string; readonly keys: readonly string[] }
  | { readonly kind: "defers"; readonly effect: string }
  | { readonly kind: "delivers"; readonly what: string }
  | { readonly kind: "thinks"; readonly about: string }
  | { readonly kind: "commits"; readonly value: unknown; readonly version: Version | undefined }
  | { readonly kind: "refused"; readonly message: string }
  | { readonly kind: "begins_again" }
);

/** A step as a sentence without its subject. */
export function textOfStep(step: Step): string {
  switch (step.kind) {
    case "given":
      return `${step.key} holds ${shown(step.value)}`;
    case "reads":
      return `reads ${step.key}: ${shown(step.value)}`;
    case "finds":
      return `looks under ${step.prefix}: ${step.keys.length === 0 ? "nothing" : step.keys.join(", ")}`;
    case "writes":
      return `writes ${step.key}: ${shown(step.value)}`;
    case "defers":
      return `defers the effect ${step.effect} to its commit`;
    case "delivers":
      return `delivers the ${step.what} one`;
    case "thinks":
      return `thinks: ${step.about}`;
    case "commits":
      return committed(step.value, step.version);
    case "refused":
      return `is refused: ${step.message}`;
    case "begins_again":
      return "begins again, on a fresh snapshot";
  }
}

function committed(value: unknown, version: Version | undefined): string {
  const at = version === undefined ? "" : ` at version ${version.partition}@${version.offset}`;
  return value === undefined ? `commits${at}` : `commits${at} and reports ${shown(value)}`;
}

function shown(value: unknown): string {
  return value === undefined ? "nothing" : JSON.stringify(value);
}
