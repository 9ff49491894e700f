import { z } from "zod";

/**
 * What the memory's tools take and give. Names, forms and descriptions that a client sees are those of the reference
 * memory server, which this one stands in for; `agent` and `asOf` are beside them and may be left out.
 */

const name = z.string().describe("The name of the entity");

export const entity = z.object({
  name,
  entityType: z.string().describe("The type of the entity"),
  observations: z.array(z.string()).describe("An array of observation contents associated with the entity"),
});

export const relation = z.object({
  from: z.string().describe("The name of the entity where the relation starts"),
  to: z.string().describe("The name of the entity where the relation ends"),
  relationType: z.string().describe("The type of the relation"),
});

export const entities = { entities: z.array(entity) };
export const relations = { relations: z.array(relation) };
export const graph = { ...entities, ...relations };

export const newObservations = {
  observations: z.array(
    z.object({
      entityName: z.string().describe("The name of the entity to add the observations to"),
      contents: z.array(z.string()).describe("An array of observation contents to add"),
    }),
  ),
};

export const addedObservations = {
  results: z.array(z.object({ entityName: z.string(), addedObservations: z.array(z.string()) })),
};

export const entityNames = {
  entityNames: z.array(z.string()).describe("An array of entity names to delete"),
};

export const deletions = {
  deletions: z.array(
    z.object({
      entityName: z.string().describe("The name of the entity containing the observations"),
      observations: z.array(z.string()).describe("An array of observations to delete"),
    }),
  ),
};

export const deletedRelations = {
  relations: z.array(relation).describe("An array of relations to delete"),
};

export const success = { success: z.boolean(), message: z.string() };

/** What every read takes beside its own arguments. */
export const view = {
  agent: z
    .string()
    .optional()
    .describe("Only what this agent wrote, by its name or by name:session; what everyone wrote unless given"),
  asOf: z
    .string()
    .optional()
    .describe("The memory as it was at a version, such as 0@42, or at a time, such as 2026-01-31T12:00:00Z"),
};

export const query = {
  query: z.string().describe("The search query to match against entity names, types, and observation content"),
};

export const names = { names: z.array(z.string()).describe("An array of entity names to retrieve") };
