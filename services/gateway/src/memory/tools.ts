import type { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import type { Session } from "../session.ts";
import { answered } from "../tool.ts";
import { parseAsOf } from "../versions.ts";
import { createdEntities, createdRelations, deleted, found, observed } from "./answers.ts";
import { opened, searched, toldBy } from "./graph.ts";
import { UnknownEntity } from "./remember.ts";
import * as schemas from "./schemas.ts";

const adds = { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false };
const deletes = { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false };
const reads = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false };

/** The nine tools of the reference memory server. */
export function registerMemoryTools(server: McpServer, session: Session): void {
  registerAdding(server, session);
  registerDeleting(server, session);
  registerReading(server, session);
}

function registerAdding(server: McpServer, session: Session): void {
  const { memory } = session;
  server.registerTool(
    "create_entities",
    {
      title: "Create Entities",
      description: "Create multiple new entities in the knowledge graph",
      inputSchema: schemas.entities,
      outputSchema: schemas.entities,
      annotations: adds,
    },
    ({ entities }, call) =>
      answered(session, call, async (signal) => {
        const by = session.identity();
        return createdEntities(await memory.createEntities(by, entities, signal), by);
      }),
  );
  server.registerTool(
    "create_relations",
    {
      title: "Create Relations",
      description:
        "Create multiple new relations between entities in the knowledge graph. Relations should be in active voice",
      inputSchema: schemas.relations,
      outputSchema: schemas.relations,
      annotations: adds,
    },
    ({ relations }, call) =>
      answered(session, call, async (signal) => {
        const by = session.identity();
        return createdRelations(await memory.createRelations(by, relations, signal), by);
      }),
  );
  server.registerTool(
    "add_observations",
    {
      title: "Add Observations",
      description: "Add new observations to existing entities in the knowledge graph",
      inputSchema: schemas.newObservations,
      outputSchema: schemas.addedObservations,
      annotations: adds,
    },
    ({ observations }, call) => {
      const earlier = session.calls.running;
      return answered(session, call, async (signal) => {
        const by = session.identity();
        const add = () => memory.addObservations(by, observations, signal);
        return observed(await onceMade(add, earlier), by);
      });
    },
  );
}

/** A model may ask for an entity and, in the same breath, for what it has observed of it. */
async function onceMade<T>(add: () => Promise<T>, earlier: readonly Promise<unknown>[]): Promise<T> {
  try {
    return await add();
  } catch (error) {
    if (!(error instanceof UnknownEntity) || earlier.length === 0) throw error;
    await Promise.all(earlier);
    return add();
  }
}

function registerDeleting(server: McpServer, session: Session): void {
  const { memory } = session;
  server.registerTool(
    "delete_entities",
    {
      title: "Delete Entities",
      description: "Delete multiple entities and their associated relations from the knowledge graph",
      inputSchema: schemas.entityNames,
      outputSchema: schemas.success,
      annotations: deletes,
    },
    ({ entityNames }, call) =>
      answered(session, call, async (signal) =>
        deleted(await memory.deleteEntities(session.identity(), entityNames, signal), "Entities deleted successfully"),
      ),
  );
  server.registerTool(
    "delete_observations",
    {
      title: "Delete Observations",
      description: "Delete specific observations from entities in the knowledge graph",
      inputSchema: schemas.deletions,
      outputSchema: schemas.success,
      annotations: deletes,
    },
    ({ deletions }, call) =>
      answered(session, call, async (signal) =>
        deleted(
          await memory.deleteObservations(session.identity(), deletions, signal),
          "Observations deleted successfully",
        ),
      ),
  );
  server.registerTool(
    "delete_relations",
    {
      title: "Delete Relations",
      description: "Delete multiple relations from the knowledge graph",
      inputSchema: schemas.deletedRelations,
      outputSchema: schemas.success,
      annotations: deletes,
    },
    ({ relations }, call) =>
      answered(session, call, async (signal) =>
        deleted(await memory.deleteRelations(session.identity(), relations, signal), "Relations deleted successfully"),
      ),
  );
}

function registerReading(server: McpServer, session: Session): void {
  const { memory } = session;
  server.registerTool(
    "read_graph",
    {
      title: "Read Graph",
      description: "Read the entire knowledge graph",
      inputSchema: schemas.view,
      outputSchema: schemas.graph,
      annotations: reads,
    },
    ({ agent, asOf }, call) =>
      answered(session, call, async () => {
        const { graph, version } = await memory.whole(parseAsOf(asOf));
        return found({ graph: toldBy(graph, agent), version });
      }),
  );
  server.registerTool(
    "search_nodes",
    {
      title: "Search Nodes",
      description: "Search for nodes in the knowledge graph based on a query",
      inputSchema: { ...schemas.query, ...schemas.view },
      outputSchema: schemas.graph,
      annotations: reads,
    },
    ({ query, agent, asOf }, call) =>
      answered(session, call, async () => {
        const { graph, version } = await memory.whole(parseAsOf(asOf));
        return found({ graph: searched(toldBy(graph, agent), query), version });
      }),
  );
  server.registerTool(
    "open_nodes",
    {
      title: "Open Nodes",
      description: "Open specific nodes in the knowledge graph by their names",
      inputSchema: { ...schemas.names, ...schemas.view },
      outputSchema: schemas.graph,
      annotations: reads,
    },
    ({ names, agent, asOf }, call) =>
      answered(session, call, async () => {
        const { graph, version } = await memory.about(names, parseAsOf(asOf));
        return found({ graph: opened(toldBy(graph, agent), new Set(names)), version });
      }),
  );
}
