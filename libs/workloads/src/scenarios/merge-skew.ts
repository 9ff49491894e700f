import { finding, needsSerializable, type Scenario } from "./scenario.ts";

interface Signature {
  readonly parameters: readonly string[];
}

interface Caller {
  /** Undefined while it does not call. */
  readonly call?: readonly string[];
}

const [library, caller] = ["repository/area.ts", "repository/page.ts"] as const;

/** Each edits the file of its own after reading both: either edit alone is sound. */
export const mergeSkew: Scenario = {
  name: "merge-skew",
  story: "from one base, one branch changes a function's signature and another begins to call it, in different files",
  expected: needsSerializable,
  condition: "serializable",
  async play(play) {
    await play.given({ [library]: { parameters: ["width", "height"] }, [caller]: {} });
    const changer = await play.begin("branch-1", async (tx, pause) => {
      const { call } = (await tx.get<Caller>(caller)) ?? {};
      await tx.get(library);
      await pause(call === undefined ? "nobody calls it: free to change" : "it is called: leave it");
      if (call !== undefined) return "left as it is";
      tx.put(library, { parameters: ["shape"] });
      return "changed";
    });
    const user = await play.begin("branch-2", async (tx, pause) => {
      const { parameters = [] } = (await tx.get<Signature>(library)) ?? {};
      await pause(`it takes ${parameters.join(" and ")}`);
      tx.put(caller, { call: parameters });
      return parameters;
    });
    await changer.finish();
    await user.finish();
    const { parameters } = (await play.read<Signature>(library)) ?? { parameters: [] };
    const { call = [] } = (await play.read<Caller>(caller)) ?? {};
    return finding(
      call.join() !== parameters.join(),
      `the function takes (${parameters.join(", ")}), and is called with (${call.join(", ")})`,
    );
  },
};
