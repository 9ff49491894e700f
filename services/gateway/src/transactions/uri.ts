export const transactionUriTemplate = "seriatim://transactions/{id}";

/** Of the resource that says what an open transaction has read. */
export function transactionUri(id: string): string {
  return transactionUriTemplate.replace("{id}", id);
}
