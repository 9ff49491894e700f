import type { Offset } from "@seriatim/protocol";

/** A committed write as a rule sees it. */
export interface RuleWrite {
  readonly key: string;
  /** As the agents wrote it: JSON, or a Uint8Array; undefined when the key was deleted. */
  readonly value: unknown;
}

/** A commit as a rule sees it. */
export interface RuleCommit {
  readonly partition: number;
  readonly offset: Offset;
  /** Log time, in ms since 1970. */
  readonly time: number;
  readonly agent: string | null;
  readonly id: string | null;
  readonly writes: readonly RuleWrite[];
}

/** How a commit left a group of keys. */
export interface GroupState {
  /** What the rule is about within all that it watches. */
  readonly group: string;
  /** A sentence on what is broken; undefined while the rule holds for the group. */
  readonly fault: string | undefined;
}

/** A rule over what stands in one partition. It is given every commit, in order, and keeps what it needs of them. */
export interface Rule {
  readonly name: string;
  /** The groups that the commit touched, as it left them. */
  apply(commit: RuleCommit): readonly GroupState[];
}

/** Makes a rule's state for a partition, with nothing in it. */
export interface RuleKind {
  readonly name: string;
  create(): Rule;
}
