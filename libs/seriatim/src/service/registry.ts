import { collectDefaultMetrics, Registry } from "prom-client";

/** What a service exports. */
export interface Exported {
  readonly contentType: string;
  /** All of it in Prometheus' text, looked up now. */
  text(): Promise<string>;
}

/** A registry whose metrics all carry the space. */
export function createRegistry(space: string): Registry {
  const registry = new Registry();
  registry.setDefaultLabels({ space });
  collectDefaultMetrics({ register: registry });
  return registry;
}
