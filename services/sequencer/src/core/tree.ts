/*
 * The memory tree: which keys were last written or deleted when, as far as the window reaches. A B+tree by key bytes.
 * A delete is an entry like any other. Invariants, which `audit` checks:
 *
 *  T1  Keys ascend by bytes over the leaves from left to right; a branch's bounds separate its children.
 *  T2  All leaves lie equally deep.
 *  T3  No node has more than `mostEntries`; none but the root is empty, and a root that is a branch has two children
 *      or more.
 *  T4  Versions lie above the horizon, and none was ever set below an earlier one.
 *  T5  A branch's version for a child is the highest beneath it, or else both lie at or below the horizon: purging
 *      leaves maxima as they are, and since nobody asks for what is after an offset below the horizon, nobody can tell.
 *  T6  An entry is in `ages` with its own version, so that its time to go comes; rows of versions since replaced are
 *      there too, and remove nothing when theirs comes.
 *
 * Cost: a node left with few entries by a purge is joined with a neighbour when both fit into one node with room to
 * spare. So of two neighbours under one parent, one has at least `fewEntries` or both together have more than
 * `mostJoined` when a purge touches them: nodes hold many entries on average, depth stays logarithmic in the entries,
 * and a joined node takes many writes before it is split again.
 */
import { assert } from "@seriatim/protocol";
import type { Key, KeyRange, Offset } from "@seriatim/protocol";
import { Ages } from "./ages.ts";
import { at } from "./indexed.ts";
import type { KeyVersion } from "./state.ts";
import { auditNodes } from "./tree-audit.ts";
import { branchOver, collect, emptyLeaf, put, remove, versionIn } from "./tree-node.ts";

export class KeyTree {
  #root = emptyLeaf();
  #size = 0;
  #horizon: Offset = -1;
  readonly #ages = new Ages<Key>();

  get size(): number {
    return this.#size;
  }

  /** The version of `key`; -1 when it has none above the horizon. */
  versionOf(key: Key): Offset {
    return versionIn(this.#root, key);
  }

  /**
   * The first `limit` keys in `range`, in byte order, with versions above `after`.
   * @param after not below the horizon.
   */
  newestIn(range: KeyRange, after: Offset, limit: number): readonly KeyVersion[] {
    assert(after >= this.#horizon, "what lies behind the window cannot be asked for");
    const found: KeyVersion[] = [];
    collect(this.#root, range, after, limit, found);
    return found;
  }

  /** @param version above the horizon, and not below any set before. */
  set(key: Key, version: Offset): void {
    assert(version > this.#horizon, "a version lies above the horizon");
    const { kept, isNew, right } = put(this.#root, key, version);
    if (isNew) this.#size += 1;
    if (right !== undefined) this.#root = branchOver(this.#root, right);
    // The string that is in the tree already, lest each write of a key keep its own.
    this.#ages.push(kept, version);
  }

  /** Forgets the versions at `horizon` and below, which becomes the tree's horizon unless that is higher already. */
  purge(horizon: Offset): void {
    if (horizon <= this.#horizon) return;
    this.#horizon = horizon;
    this.#ages.purge(horizon, (key, version) => {
      if (!remove(this.#root, key, version)) return;
      this.#size -= 1;
      while (this.#root.children?.length === 1) this.#root = at(this.#root.children, 0);
    });
  }

  /**
   * Checks the whole tree, in linear time; returns the number of its nodes.
   * @throws Defect naming the invariant that does not hold.
   */
  audit(): number {
    const { entries, nodes } = auditNodes(this.#root, this.#horizon);
    assert(entries.size === this.#size, "the size is the number of entries");
    this.#ages.forEach((key, version) => {
      if (entries.get(key) === version) entries.delete(key);
    });
    assert(entries.size === 0, "T6: an entry is in ages with its own version");
    return nodes;
  }
}
