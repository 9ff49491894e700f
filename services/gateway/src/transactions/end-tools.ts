import type { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import type { Session } from "../session.ts";
import { answered } from "../tool.ts";
import { answer, committed } from "./answers.ts";
import * as schemas from "./schemas.ts";
import { transactionUri } from "./uri.ts";

/** begin, commit and abandon. */
export function registerEndTools(server: McpServer, session: Session): void {
  const { transactions, limits } = session;
  server.registerTool(
    "begin",
    {
      title: "Begin a transaction",
      description:
        "Begin a transaction: read, think, write, and commit all of it or nothing. Use it whenever what you write " +
        "depends on what you read. Reads come from one snapshot; the commit is refused if somebody changed what you " +
        "read or write meanwhile. Answers with the transaction's id, which the other tools take, and when it expires.",
      inputSchema: schemas.begin,
      annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
    },
    ({ isolation, partitionKey }, call) =>
      answered(session, call, async () => {
        const { actor: agent } = session.identity();
        const held = await transactions.begin({ agent, isolation, partitionKey });
        return answer({
          transaction: held.id,
          agent,
          isolation: isolation ?? "serializable",
          expires: new Date(held.begun.getTime() + limits.transactionTime).toISOString(),
          resource: transactionUri(held.id),
        });
      }),
  );
  server.registerTool(
    "commit",
    {
      title: "Commit a transaction",
      description:
        'Commit what the transaction has written, all together. "committed" means that it stands, at that version. ' +
        "An error says who changed what, what it holds now and what to do: nothing was written then, and the " +
        "transaction is over; begin another one, read again and decide anew.",
      inputSchema: schemas.one,
      annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
    },
    ({ transaction }, call) =>
      answered(session, call, async () => committed(transaction, await transactions.commit(transaction))),
  );
  server.registerTool(
    "abandon",
    {
      title: "Abandon a transaction",
      description: "End a transaction without writing anything. Use it when you will not commit.",
      inputSchema: schemas.one,
      annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
    },
    ({ transaction }, call) =>
      answered(session, call, async () => {
        await transactions.abandon(transaction);
        return answer({ transaction, outcome: "abandoned" });
      }),
  );
}
