import { Defect } from "@seriatim/protocol";

/** The element at an index that is known to hold one. */
export function at<T>(elements: readonly T[], index: number): T {
  const element = elements[index];
  if (element === undefined) throw new Defect(`no element at ${index} of ${elements.length}`);
  return element;
}
