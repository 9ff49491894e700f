// Another process for sqlite-file.test.ts. Speaks to its parent over the channel of `fork`.
import { SqliteFile } from "../../libs/log/dist/sqlite/file.js";

const actions = {
  /** Counts up in transactions that read first and then write, from a file that all create at the same time. */
  count: async ({ path, times }) => {
    const file = SqliteFile.open(path);
    await file.transaction(() => file.database.exec("CREATE TABLE IF NOT EXISTS counter (value INTEGER)"));
    for (let time = 0; time < times; time++) {
      await file.transaction(() => {
        const value = file.database.prepare("SELECT max(value) FROM counter").pluck().get() ?? 0;
        file.database.prepare("INSERT INTO counter VALUES (?)").run(value + 1);
      });
    }
    file.close();
  },
  /** Opens the file as a user whom its permissions bind. */
  openAsNobody: async ({ path, warmUp }) => {
    // Whatever has to be loaded is, before this user may no longer read it.
    SqliteFile.open(warmUp).close();
    if (process.getuid() === 0) process.setuid(65_534);
    SqliteFile.open(path).close();
  },
};

const report = (outcome) => process.send(outcome, () => process.disconnect());

process.once("message", ({ action, ...options }) => {
  actions[action](options).then(
    () => report({}),
    (error) => report({ code: error.code ?? "none", message: error.message }),
  );
});
process.send("ready");
