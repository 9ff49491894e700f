import type { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import type { HistoryEntry } from "@seriatim/client";
import type { Session } from "../session.ts";
import { answered } from "../tool.ts";
import { parseVersion, versionText } from "../versions.ts";
import { answer, shownChange, shownValue } from "./answers.ts";
import { readHints } from "./hints.ts";
import { getKey, scanRange } from "./reading.ts";
import * as schemas from "./schemas.ts";

const defaultHistory = 20;

/** get, scan, history and changes. */
export function registerReadTools(server: McpServer, session: Session): void {
  server.registerTool(
    "get",
    {
      title: "Read a key",
      description:
        "Read what a key holds. Give the transaction when a decision rests on it: then the commit is refused if it " +
        'changes. "found": false means that the key is absent.',
      inputSchema: schemas.get,
      annotations: readHints,
    },
    (request, call) => answered(session, call, () => getKey(session, request)),
  );
  server.registerTool(
    "scan",
    {
      title: "Read a range of keys",
      description:
        "List the keys of a range with their values, in order. In a transaction the commit is refused if anything is " +
        'added to, changed in or deleted from what the answer covers. "complete": false means that the limit was ' +
        "reached; go on from the last key.",
      inputSchema: schemas.scan,
      annotations: readHints,
    },
    (request, call) => answered(session, call, () => scanRange(session, request)),
  );
  registerHistory(server, session);
  registerChanges(server, session);
}

function registerHistory(server: McpServer, session: Session): void {
  server.registerTool(
    "history",
    {
      title: "History of a key",
      description: "Who wrote a key, when, and what: newest first. Use it to learn what others did and why you lost.",
      inputSchema: schemas.history,
      annotations: readHints,
    },
    ({ key, limit = defaultHistory, before }, call) =>
      answered(session, call, async () => {
        const olderThan = before === undefined ? undefined : parseVersion(before, "before");
        const writes = await session.coordinator.history(key, { limit, before: olderThan });
        return answer({ key, writes: writes.map(shownWrite) });
      }),
  );
}

function shownWrite({ version, value, deleted, agent, intent, time }: HistoryEntry): Record<string, unknown> {
  const what = deleted ? { deleted } : shownValue(value);
  return { version: versionText(version), agent, intent, time: time.toISOString(), ...what };
}

function registerChanges(server: McpServer, session: Session): void {
  server.registerTool(
    "changes",
    {
      title: "What has changed meanwhile",
      description:
        "What others have changed of what an open transaction has read or writes, since it began: who, what, and what " +
        'is there now. Ask before long work. "canCommit": false means that a commit would be refused: abandon it, ' +
        "begin another one and read again.",
      inputSchema: schemas.one,
      annotations: readHints,
    },
    ({ transaction }, call) =>
      answered(session, call, async () => {
        const held = session.transactions.get(transaction);
        const changes = await held.use((tx) => tx.changes());
        const canCommit = held.overwritten === undefined && !changes.some(({ refuses }) => refuses);
        return answer({ transaction, canCommit, changes: changes.map(shownChange) });
      }),
  );
}
