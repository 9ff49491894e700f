import type { Graph } from "./graph.ts";

/** Which edges a search may take. */
export type EdgeFilter = (edge: number) => boolean;

export interface Components {
  /** The component of each node; -1 for one that is in no cycle. */
  readonly of: Int32Array;
  /** The nodes of each component, which has two at least. */
  readonly members: readonly Int32Array[];
}

/** The strongly connected components that hold a cycle, by the edges that `allows` lets through (Tarjan, iterative). */
export function componentsOf(graph: Graph, allows: EdgeFilter): Components {
  const { starts, edges } = graph.outgoing;
  const count = graph.nodes;
  const index = new Int32Array(count).fill(-1);
  const low = new Int32Array(count);
  const onStack = new Uint8Array(count);
  const next = starts.slice(0, count);
  const stack = new Int32Array(count);
  const of = new Int32Array(count).fill(-1);
  const members: Int32Array[] = [];
  let indexes = 0;
  let top = 0;
  const path: number[] = [];

  const enter = (node: number): void => {
    index[node] = low[node] = indexes;
    indexes += 1;
    stack[top] = node;
    top += 1;
    onStack[node] = 1;
    path.push(node);
  };
  const leave = (node: number): void => {
    if (low[node] !== index[node]) return;
    const end = top;
    let member: number;
    do {
      top -= 1;
      member = stack[top] ?? 0;
      onStack[member] = 0;
    } while (member !== node);
    if (end - top < 2) return;
    const nodes = stack.slice(top, end).toSorted();
    for (const each of nodes) of[each] = members.length;
    members.push(nodes);
  };

  for (let root = 0; root < count; root += 1) {
    if (index[root] !== -1) continue;
    enter(root);
    for (let node = path.at(-1); node !== undefined; node = path.at(-1)) {
      const position = next[node] ?? 0;
      if (position < (starts[node + 1] ?? 0)) {
        next[node] = position + 1;
        const edge = edges[position] ?? 0;
        if (!allows(edge)) continue;
        const target = graph.to(edge);
        if (index[target] === -1) enter(target);
        else if (onStack[target] === 1) low[node] = Math.min(low[node] ?? 0, index[target] ?? 0);
      } else {
        path.pop();
        const parent = path.at(-1);
        if (parent !== undefined) low[parent] = Math.min(low[parent] ?? 0, low[node] ?? 0);
        leave(node);
      }
    }
  }
  return { of, members };
}
