// Loaded before a program (node --import), this puts its clock wrong by so many ms, and at each SIGUSR2 as much to the
// other side. The monotonic clock stays as it is.
let skew = Number(new URL(import.meta.url).searchParams.get("by"));
const TrueDate = Date;

globalThis.Date = new Proxy(TrueDate, {
  construct: (target, given, newTarget) =>
    Reflect.construct(target, given.length === 0 ? [TrueDate.now() + skew] : given, newTarget),
  apply: () => new TrueDate(TrueDate.now() + skew).toString(),
  get: (target, name) => (name === "now" ? () => TrueDate.now() + skew : Reflect.get(target, name)),
});
process.on("SIGUSR2", () => (skew = -skew));
