import { ResourceTemplate } from "@modelcontextprotocol/sdk/server/mcp.js";
import {
  SubscribeRequestSchema,
  UnsubscribeRequestSchema,
  type ReadResourceResult,
} from "@modelcontextprotocol/sdk/types.js";
import type { Space } from "@seriatim/client";
import { MemoryNews } from "./memory/news.ts";
import { plainGraph } from "./memory/answers.ts";
import type { Session } from "./session.ts";
import { shownChange } from "./transactions/answers.ts";
import type { HeldTransaction } from "./transactions/held.ts";
import { transactionUri, transactionUriTemplate } from "./transactions/uri.ts";

const memoryUri = "memory://knowledge-graph";
const mimeType = "application/json";

/** What a client can read and subscribe to: the memory, and what its open transactions have read. */
export class Resources {
  readonly #session: Session;
  readonly #subscribed = new Set<string>();
  readonly #news: MemoryNews;

  constructor(session: Session, space: Space) {
    this.#session = session;
    this.#news = new MemoryNews(space, () => this.updated(memoryUri));
    this.#registerMemory();
    this.#registerTransactions();
    this.#registerSubscriptions();
  }

  /** Tells the client, if it has asked to be told. */
  updated(uri: string): void {
    if (!this.#subscribed.has(uri)) return;
    const { server } = this.#session.server;
    // A client that is gone need not be told.
    server.sendResourceUpdated({ uri }).catch(() => undefined);
  }

  close(): void {
    this.#news.stop();
  }

  #registerMemory(): void {
    const { server, memory, calls } = this.#session;
    const description = "The full knowledge graph with all entities and relations";
    server.registerResource(
      "knowledge-graph",
      memoryUri,
      { title: "Knowledge Graph", description, mimeType },
      ({ href }) => calls.run(async () => contents(href, plainGraph((await memory.whole()).graph))),
    );
  }

  #registerTransactions(): void {
    const { server, transactions, calls } = this.#session;
    const list = () => ({
      resources: transactions.open.map(({ id }) => ({ uri: transactionUri(id), name: id, mimeType })),
    });
    server.registerResource(
      "open-transaction",
      new ResourceTemplate(transactionUriTemplate, { list }),
      {
        title: "Open transaction",
        description:
          "What an open transaction has read and written, and what others have changed of it meanwhile. Subscribe to " +
          "learn at once when it can no longer commit.",
        mimeType,
      },
      ({ href }, { id }) => calls.run(async () => contents(href, await shownTransaction(transactions.get(String(id))))),
    );
  }

  #isOverwritten(uri: string): boolean {
    const { open } = this.#session.transactions;
    return open.some(({ id, overwritten }) => transactionUri(id) === uri && overwritten !== undefined);
  }

  #registerSubscriptions(): void {
    const { server } = this.#session.server;
    server.registerCapabilities({ resources: { subscribe: true } });
    server.setRequestHandler(SubscribeRequestSchema, ({ params: { uri } }) => {
      this.#subscribed.add(uri);
      if (uri === memoryUri) this.#news.start();
      // Whoever comes too late for the news is told after the answer to this.
      if (this.#isOverwritten(uri)) setImmediate(() => this.updated(uri));
      return {};
    });
    server.setRequestHandler(UnsubscribeRequestSchema, ({ params: { uri } }) => {
      this.#subscribed.delete(uri);
      if (uri === memoryUri) this.#news.stop();
      return {};
    });
  }
}

async function shownTransaction(held: HeldTransaction): Promise<object> {
  const changes = await held.use((tx) => tx.changes());
  return {
    transaction: held.id,
    begun: held.begun.toISOString(),
    reads: held.reads,
    writes: Array.from(held.writes, ([key, kind]) => ({ key, kind })),
    effects: held.effects,
    canCommit: held.overwritten === undefined && !changes.some(({ refuses }) => refuses),
    changes: changes.map(shownChange),
  };
}

function contents(uri: string, data: object): ReadResourceResult {
  return { contents: [{ uri, mimeType, text: JSON.stringify(data, null, 2) }] };
}
