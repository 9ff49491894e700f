import type { Key, KeyRange, Offset } from "@seriatim/protocol";
import { at } from "./indexed.ts";
import type { KeyVersion } from "./state.ts";
import { fewEntries, mostEntries, mostJoined } from "./tree-sizes.ts";

/**
 * A node of the tree that tree.ts describes, in columns: an entry is the same index of each.
 * In a leaf, `keys` and `versions` are the entries themselves. In a branch, `keys[i]` is a bound, at or below all keys
 * beneath `children[i]` and above all beneath `children[i - 1]` (so `keys[0]` says nothing and is not looked at), and
 * `versions[i]` is the highest version beneath `children[i]`.
 */
export interface Node {
  readonly keys: Key[];
  readonly versions: Offset[];
  readonly children: Node[] | undefined;
}

export function emptyLeaf(): Node {
  return { keys: [], versions: [], children: undefined };
}

/** A branch over two nodes, the new root after the old one was split. */
export function branchOver(left: Node, right: Node): Node {
  return {
    keys: [at(left.keys, 0), at(right.keys, 0)],
    versions: [highestIn(left), highestIn(right)],
    children: [left, right],
  };
}

/** The version of `key` beneath `node`; -1 when it is not there. */
export function versionIn(node: Node, key: Key): Offset {
  let here = node;
  while (here.children !== undefined) here = at(here.children, childFor(here, key));
  const index = firstFrom(here.keys, key);
  return here.keys[index] === key ? at(here.versions, index) : -1;
}

/** Appends to `found`, up to `limit`, the entries in `range` with versions above `after`, in the order of their keys. */
export function collect(node: Node, range: KeyRange, after: Offset, limit: number, found: KeyVersion[]): void {
  const { keys, versions, children } = node;
  const first = children === undefined ? firstFrom(keys, range.from) : childFor(node, range.from);
  for (let index = first; index < keys.length && found.length < limit; index += 1) {
    const key = at(keys, index);
    // The child that `from` falls into has a bound that says nothing about the range's end.
    if (key >= range.to && (children === undefined || index > first)) return;
    const version = at(versions, index);
    if (version <= after) continue;
    if (children === undefined) found.push({ key, version });
    else collect(at(children, index), range, after, limit, found);
  }
}

/** What `put` did: the key's string as the tree keeps it, and the right half when the node had to be split. */
export interface Put {
  readonly kept: Key;
  readonly isNew: boolean;
  readonly right: Node | undefined;
}

/** Sets the version of `key`, raising the maxima on the way. @param version not below any beneath `node`. */
export function put(node: Node, key: Key, version: Offset): Put {
  if (node.children === undefined) return putInLeaf(node, key, version);
  const index = childFor(node, key);
  node.versions[index] = version;
  const child = at(node.children, index);
  const done = put(child, key, version);
  if (done.right === undefined) return done;
  node.versions[index] = highestIn(child);
  node.keys.splice(index + 1, 0, at(done.right.keys, 0));
  node.versions.splice(index + 1, 0, highestIn(done.right));
  node.children.splice(index + 1, 0, done.right);
  return { ...done, right: splitIfFull(node) };
}

function putInLeaf(leaf: Node, key: Key, version: Offset): Put {
  const index = firstFrom(leaf.keys, key);
  if (leaf.keys[index] === key) {
    leaf.versions[index] = version;
    return { kept: at(leaf.keys, index), isNew: false, right: undefined };
  }
  leaf.keys.splice(index, 0, key);
  leaf.versions.splice(index, 0, version);
  return { kept: key, isNew: true, right: splitIfFull(leaf) };
}

function splitIfFull({ keys, versions, children }: Node): Node | undefined {
  if (keys.length <= mostEntries) return undefined;
  const half = keys.length >> 1;
  return { keys: keys.splice(half), versions: versions.splice(half), children: children?.splice(half) };
}

/** Removes `key` from beneath `node` if its version is still `version`; says whether it did. Maxima stay. */
export function remove(node: Node, key: Key, version: Offset): boolean {
  if (node.children === undefined) {
    const index = firstFrom(node.keys, key);
    if (node.keys[index] !== key || node.versions[index] !== version) return false;
    dropEntry(node, index);
    return true;
  }
  const index = childFor(node, key);
  const child = at(node.children, index);
  if (!remove(child, key, version)) return false;
  if (child.keys.length === 0) dropEntry(node, index);
  else if (child.keys.length < fewEntries && !joinWithNext(node, index)) joinWithNext(node, index - 1);
  return true;
}

function dropEntry({ keys, versions, children }: Node, index: number): void {
  keys.splice(index, 1);
  versions.splice(index, 1);
  children?.splice(index, 1);
}

/** Joins the children at `index` and after it, if both are there and fit into one node; says whether it did. */
function joinWithNext(parent: Node, index: number): boolean {
  const left = parent.children?.[index];
  const right = parent.children?.[index + 1];
  if (left === undefined || right === undefined || left.keys.length + right.keys.length > mostJoined) return false;
  // In a branch the right half's first bound was not looked at so far; the parent's is the one that holds.
  if (right.children !== undefined) right.keys[0] = at(parent.keys, index + 1);
  left.keys.push(...right.keys);
  left.versions.push(...right.versions);
  if (right.children !== undefined) left.children?.push(...right.children);
  parent.versions[index] = Math.max(at(parent.versions, index), at(parent.versions, index + 1));
  dropEntry(parent, index + 1);
  return true;
}

function highestIn({ versions }: Node): Offset {
  return Math.max(...versions);
}

/** The index of the child that `key` belongs beneath. */
function childFor({ keys }: Node, key: string): number {
  let low = 1;
  let high = keys.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (at(keys, middle) <= key) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** The index of the first of `keys` that is not below `key`; their number when all are. */
function firstFrom(keys: readonly Key[], key: string): number {
  let low = 0;
  let high = keys.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (at(keys, middle) < key) low = middle + 1;
    else high = middle;
  }
  return low;
}
