import type { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { Failure } from "@seriatim/protocol";
import { partitionKey as memoryKey } from "../memory/keys.ts";
import type { Session } from "../session.ts";
import { answered } from "../tool.ts";
import { answerIn } from "./answers.ts";
import { bufferHints } from "./hints.ts";
import * as schemas from "./schemas.ts";

/** put, delete and defer. */
export function registerWriteTools(server: McpServer, session: Session): void {
  registerKeyTools(server, session);
  registerDefer(server, session);
}

function registerKeyTools(server: McpServer, session: Session): void {
  const { transactions } = session;
  server.registerTool(
    "put",
    {
      title: "Write a key",
      description:
        "Write a value to a key, within a transaction. Nobody sees it before the commit, except this transaction's " +
        "own reads.",
      inputSchema: schemas.put,
      annotations: bufferHints,
    },
    ({ transaction, key, value, blind }, call) =>
      answered(session, call, async () => {
        const held = transactions.get(transaction);
        checkFree(key);
        await held.use((tx) => tx.put(key, value, { blind }));
        held.writes.set(key, "put");
        return answerIn(held, { transaction, key, written: "at commit" });
      }),
  );
  server.registerTool(
    "delete",
    {
      title: "Delete a key",
      description: "Delete a key, within a transaction; it takes effect at the commit. An absent key is no error.",
      inputSchema: schemas.remove,
      annotations: bufferHints,
    },
    ({ transaction, key, blind }, call) =>
      answered(session, call, async () => {
        const held = transactions.get(transaction);
        checkFree(key);
        await held.use((tx) => tx.delete(key, { blind }));
        held.writes.set(key, "delete");
        return answerIn(held, { transaction, key, deleted: "at commit" });
      }),
  );
}

function registerDefer(server: McpServer, session: Session): void {
  const { transactions } = session;
  server.registerTool(
    "defer",
    {
      title: "Defer an effect",
      description:
        "Ask for something outside (a mail, a payment, a dispatch) to be done if and only if the transaction commits, " +
        "by the handler of that name. It happens after the commit, at least once. Use it in place of doing it " +
        "yourself before you know whether your decision stands.",
      inputSchema: schemas.defer,
      annotations: { ...bufferHints, idempotentHint: false },
    },
    ({ transaction, name, arguments: args, lane }, call) =>
      answered(session, call, async () => {
        const held = transactions.get(transaction);
        await held.use((tx) => tx.defer(name, args, { lane }));
        held.effects.push(name);
        return answerIn(held, { transaction, name, done: "after commit" });
      }),
  );
}

/** What the memory holds has a form that only its own tools keep. */
function checkFree(key: string): void {
  if (!key.startsWith(`${memoryKey}/`)) return;
  throw new Failure(
    "invalid_argument",
    `key ${JSON.stringify(key)} lies in the memory, which its own tools write (create_entities and the others); ` +
      "take another first segment",
  );
}
