import { finding, needsSerializable, type Scenario } from "./scenario.ts";

/** Each sees the other on duty and goes off: both rows change, and no row is written twice. */
export const writeSkew: Scenario = {
  name: "write-skew",
  story: "two on-call agents each see the other covering, and both go off duty",
  expected: needsSerializable,
  condition: "serializable",
  async play(play) {
    await play.given({ "roster/ada": "on duty", "roster/ben": "on duty" });
    const goOff = (me: string, other: string) =>
      play.begin(me, async (tx, pause) => {
        const duty = await tx.get<string>(`roster/${other}`);
        await pause(`${other} is ${duty}`);
        if (duty !== "on duty") return "stays";
        tx.put(`roster/${me}`, "off duty");
        return "goes";
      });
    const ada = await goOff("ada", "ben");
    const ben = await goOff("ben", "ada");
    await ada.finish();
    await ben.finish();
    const roster = await play.scan("roster/");
    const onDuty = roster.filter(({ value }) => value === "on duty").length;
    return finding(onDuty === 0, `${onDuty} of two are on duty`);
  },
};
