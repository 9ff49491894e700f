import { SqliteFile } from "@seriatim/log";
import { createGenesis, encodeGenesis } from "@seriatim/protocol";
import { View } from "@seriatim/view";
import { expect, it, onTestFinished } from "vitest";
import { EmbeddedSpace } from "../../libs/seriatim/src/embedded-space.ts";
import { temporaryFile } from "../support/temporary.ts";

it("two that open the same new file make one space", async () => {
  const path = temporaryFile();
  const spaces = await Promise.all([EmbeddedSpace.open(path), EmbeddedSpace.open(path)]);
  onTestFinished(async () => void (await Promise.all(spaces.map((space) => space.close()))));
  const [one, two] = spaces;
  expect(one?.genesis).toEqual(two?.genesis);
  expect(spaces.filter(({ made }) => made)).toHaveLength(1);
});

it("the view of a space on Kafka is no embedded space, and stays as it is", async () => {
  const path = temporaryFile("team.view.db");
  const file = SqliteFile.open(path);
  onTestFinished(() => file.close());
  const view = await View.open(file);
  await file.transaction(() => view.bind(encodeGenesis(createGenesis({ partitions: 2 }))));
  const tables = (): unknown[] => file.database.prepare("SELECT name FROM sqlite_schema ORDER BY name").all();
  const before = tables();
  await expect(EmbeddedSpace.open(path)).rejects.toMatchObject({ code: "other_space" });
  expect(tables()).toEqual(before);
});
