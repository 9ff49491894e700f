/** `pg` may be missing: what can be said without it stands here. */
export const postgresLevels = ["SERIALIZABLE", "REPEATABLE READ"] as const;
export type PostgresLevel = (typeof postgresLevels)[number];
