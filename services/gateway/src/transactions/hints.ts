/** Of a tool that changes nothing. */
export const readHints = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false };

/** Of a tool that changes an open transaction, and nothing else before its commit. */
export const bufferHints = { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false };
