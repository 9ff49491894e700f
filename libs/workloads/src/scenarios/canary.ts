import { finding, needsSerializable, type Scenario } from "./scenario.ts";

const prefix = "deployments/";
const [bad, good] = ["app:1.3-bad", "app:1.4"] as const;

/** One repairs every deployment that it sees; the other copies one of them, as it was, to a new place. */
export const canary: Scenario = {
  name: "canary",
  story: "A repairs every deployment with a bad image, B copies one's image into a new canary; both report success",
  expected: needsSerializable,
  condition: "serializable",
  async play(play) {
    await play.given({ [`${prefix}cart`]: bad, [`${prefix}search`]: bad });
    const repairer = await play.begin("A", async (tx, pause) => {
      const broken = (await tx.scan<string>(prefix)).filter(({ value }) => value === bad);
      await pause(`${broken.length} deployments to repair`);
      for (const { key } of broken) tx.put(key, good);
      return `repaired ${broken.length}`;
    });
    const copier = await play.begin("B", async (tx, pause) => {
      const image = await tx.get<string>(`${prefix}search`);
      await pause(`a canary of search runs ${image}`);
      tx.put(`${prefix}search-canary`, image);
      return "deployed";
    });
    await repairer.finish();
    await copier.finish();
    const left = (await play.scan(prefix)).filter(({ value }) => value === bad).map(({ key }) => key);
    return finding(
      left.length > 0,
      left.length === 0 ? "no bad image runs" : `a bad image still runs: ${left.join(", ")}`,
    );
  },
};
