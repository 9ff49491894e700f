/** The month of a moment where the store is, as in `2026-07`. `zone` is an IANA time zone, such as `Europe/Berlin`. */
export function monthOf(time: number, zone: string): string {
  const parts = new Intl.DateTimeFormat("en", { timeZone: zone, year: "numeric", month: "2-digit" }).formatToParts(
    time,
  );
  const part = (type: "year" | "month"): string => parts.find((each) => each.type === type)?.value ?? "";
  return `${part("year")}-${part("month")}`;
}

const longestMonth = 32 * 24 * 60 * 60 * 1000;

/** The first moment of the next month there, in ms since 1970: between now and then the month has exactly one end. */
export function endOfMonth(time: number, zone: string): number {
  const month = monthOf(time, zone);
  let [within, beyond] = [time, time + longestMonth];
  while (beyond - within > 1) {
    const middle = Math.floor((within + beyond) / 2);
    if (monthOf(middle, zone) === month) within = middle;
    else beyond = middle;
  }
  return beyond;
}
