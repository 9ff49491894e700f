import type * as Init from "../../libs/seriatim/dist/kafka-init.d.ts";
import type * as Logs from "../../libs/seriatim/dist/kafka-logs.d.ts";
import type * as Space from "../../libs/seriatim/dist/kafka-space.d.ts";

/** Inside of the package, for what its public face does not show. */
async function inside<T>(name: string): Promise<T> {
  return (await import(new URL(`../../../libs/seriatim/dist/${name}.js`, import.meta.url).href)) as T;
}

export const { initKafka } = await inside<typeof Init>("kafka-init");
export const { KafkaLogs, openView } = await inside<typeof Logs>("kafka-logs");
export const { KafkaSpace } = await inside<typeof Space>("kafka-space");
export type KafkaLogs = Logs.KafkaLogs;
