import type * as Inside from "../../libs/seriatim/dist/kafka-space.d.ts";

/** Inside of the package, for what its public face does not show. */
const inside = new URL("../../../libs/seriatim/dist/kafka-space.js", import.meta.url).href;
export const { KafkaLogs, KafkaSpace, initKafka, openView } = (await import(inside)) as typeof Inside;
export type KafkaLogs = Inside.KafkaLogs;
