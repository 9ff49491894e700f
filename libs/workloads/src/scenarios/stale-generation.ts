import { finding, needsSerializable, type Scenario } from "./scenario.ts";

const [date, booking] = ["trip/date", "trip/booking"] as const;

/** The plan is made for a date that is no longer the trip's when it is written down. */
export const staleGeneration: Scenario = {
  name: "stale-generation",
  story: "a trip's date changes while the plan is made, and the old date is booked",
  expected: needsSerializable,
  condition: "serializable_in_log_order",
  async play(play) {
    await play.given({ [date]: "2026-07-10" });
    const planner = await play.begin("planner", async (tx, pause) => {
      const day = await tx.get<string>(date);
      await pause(`a hotel for ${day}`);
      tx.put(booking, { hotel: "Aurora", day });
      return day;
    });
    await play.perform("traveller", async (tx) => {
      await tx.get(date);
      tx.put(date, "2026-07-17");
    });
    const booked = await planner.finish();
    const wanted = await play.read<string>(date);
    return finding(booked !== wanted, `the trip is on ${wanted}, and the hotel is booked for ${booked}`);
  },
};
