import { assert } from "@seriatim/protocol";
import type { Key, Offset } from "@seriatim/protocol";
import { at } from "./indexed.ts";
import type { Node } from "./tree-node.ts";
import { mostEntries } from "./tree-sizes.ts";

interface Audited {
  readonly depth: number;
  readonly nodes: number;
  readonly highest: Offset;
}

/** Checks T1 to T5 of tree.ts. @throws Defect naming the one that does not hold. */
export function auditNodes(root: Node, horizon: Offset) {
  assert(root.children === undefined || root.children.length >= 2, "T3: a root that is a branch has two children");
  const entries = new Map<Key, Offset>();
  const isEmpty = root.keys.length === 0;
  const { nodes } = isEmpty ? { nodes: 1 } : auditNode(root, { horizon, entries, from: undefined, to: undefined });
  return { entries, nodes };
}

interface Surroundings {
  readonly horizon: Offset;
  readonly entries: Map<Key, Offset>;
  /** The bounds that all keys beneath lie within; undefined where there is none. */
  readonly from: Key | undefined;
  readonly to: Key | undefined;
}

function auditNode(node: Node, around: Surroundings): Audited {
  const { keys, versions, children } = node;
  assert(keys.length > 0 && keys.length <= mostEntries, "T3: a node is neither empty nor over-full");
  assert(versions.length === keys.length && (children ?? keys).length === keys.length, "columns are equally long");
  for (let index = children === undefined ? 1 : 2; index < keys.length; index += 1)
    assert(at(keys, index - 1) < at(keys, index), "T1: keys ascend");
  return children === undefined ? auditLeaf(node, around) : auditBranch(node, children, around);
}

function auditLeaf({ keys, versions }: Node, { horizon, entries, from, to }: Surroundings): Audited {
  for (const [index, key] of keys.entries()) {
    assert((from === undefined || key >= from) && (to === undefined || key < to), "T1: keys lie within bounds");
    assert(at(versions, index) > horizon, "T4: versions lie above the horizon");
    entries.set(key, at(versions, index));
  }
  return { depth: 0, nodes: 1, highest: Math.max(...versions) };
}

function auditBranch({ keys, versions }: Node, children: readonly Node[], around: Surroundings): Audited {
  let depth: number | undefined;
  let nodes = 1;
  for (const [index, child] of children.entries()) {
    const from = index === 0 ? around.from : at(keys, index);
    const beneath = auditNode(child, { ...around, from, to: keys[index + 1] ?? around.to });
    depth ??= beneath.depth;
    nodes += beneath.nodes;
    assert(beneath.depth === depth, "T2: all leaves lie equally deep");
    const version = at(versions, index);
    const isForgotten = version <= around.horizon && beneath.highest <= around.horizon;
    assert(version === beneath.highest || isForgotten, "T5: a branch knows the highest version beneath each child");
  }
  return { depth: (depth ?? 0) + 1, nodes, highest: Math.max(...versions) };
}
