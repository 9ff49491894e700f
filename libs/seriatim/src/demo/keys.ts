// Everything that one transaction touches stands under one partition key, which is the rule on Kafka; the embedded file
// has the same keys, so that both do the same.

/** The goodwill credits of a customer in a month. Each credit is a key of its own below it. */
export function creditsPrefix(customer: string, month: string): string {
  return `credits-${customer}/${month}/`;
}

/** The seats of a show in a month. */
export function seatsPrefix(show: string, month: string): string {
  return `seats-${show}/${month}/`;
}

/** One key for each demo that ran in the space. */
export const demosPrefix = "demo/";

/** The part of a key that names the customer's month or the show's, with the slash behind it. */
export function groupOf(key: string): string {
  return key.slice(0, key.lastIndexOf("/") + 1);
}

export function isCredit(key: string): boolean {
  return key.startsWith("credits-");
}
