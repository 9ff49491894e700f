import { encodeGenesis, type Bytes } from "@seriatim/protocol";
import { describe, expect, it } from "vitest";
import { Chain, foldInto, openView, read } from "./fixture.ts";

describe("a genesis verdict that names another space than its genesis does", () => {
  it.each(["bound", "not bound"])(
    "is foreign to a view that is %s, which goes on with the right one",
    async (state) => {
      const opened = await openView();
      const chain = new Chain();
      const { genesis } = chain;
      if (state === "bound") await opened.file.transaction(() => opened.view.bind(encodeGenesis(genesis)));
      const verdicts = chain.run({ "a/x": "1" });
      const [founding] = verdicts;
      const foreign = founding === undefined ? undefined : { ...founding, space: "x".repeat(16) as Bytes };
      const { applied, foreign: counted } = await foldInto(opened, read([foreign, ...verdicts]));
      expect(counted).toBe(1);
      expect(applied).toEqual(verdicts);
    },
  );
});
