/** A node with more entries is split in two. */
export const mostEntries = 64;
/** A node with fewer is joined with a neighbour, if the two together have no more than `mostJoined`. */
export const fewEntries = mostEntries / 4;
/** Below the most, so that a joined node is not split again at once. */
export const mostJoined = (mostEntries / 4) * 3;
