// A rule of the checker's: after every commit each ledger counts as many as it has entries.
export const name = "a ledger counts its entries";
export const prefix = "ledger";

/** The number of entries of each ledger, by the state that it was counted in. */
const counted = new WeakMap();

export default function rule(state, { writes }) {
  const entries = counted.get(state) ?? new Map();
  counted.set(state, entries);
  for (const { key, value } of writes) {
    const [ledger, kind] = key.split("/");
    if (kind === "entries") entries.set(ledger, (entries.get(ledger) ?? 0) + (value === undefined ? -1 : 1));
  }
  for (const { key, value } of writes) {
    const [ledger, kind] = key.split("/");
    if (kind === "count" && value !== entries.get(ledger))
      return `${ledger} counts ${value} and has ${entries.get(ledger) ?? 0} entries`;
  }
  return true;
}
