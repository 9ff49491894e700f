import { emptyIntent, toKey, type Submit } from "@seriatim/protocol";
import type { EmbeddedSpace, OpenOptions } from "../../libs/seriatim/dist/embedded-space.d.ts";
import { keyOf, keys, valueOf } from "./workload.ts";

/** Inside of the package, for what its public face does not show: how many records a transaction took. */
const inside = new URL("../../../libs/seriatim/dist/embedded-space.js", import.meta.url).href;
const { EmbeddedSpace: Space } = (await import(inside)) as { readonly EmbeddedSpace: typeof EmbeddedSpace };

export function openSpace(path: string, options?: OpenOptions): Promise<EmbeddedSpace> {
  return Space.open(path, options);
}

/** An intent as the workload makes it: two points, one write. */
export function intentOf({ genesis }: Pick<EmbeddedSpace, "genesis">, id: string, draft: Partial<Submit>): Submit {
  return { ...emptyIntent, space: genesis.space, id, agent: "bench", ...draft };
}

export function writeOf(index: number, count: number): Submit["writes"][number] {
  return { key: toKey(keyOf(index)), value: Buffer.from(JSON.stringify(valueOf(count))), blind: true };
}

/** Makes a space in which every key of the workload has a value. */
export async function fillSpace(path: string): Promise<void> {
  const space = await openSpace(path, { socket: false, synchronous: "normal" });
  const { writes: most } = space.genesis.limits;
  const pages = Array.from({ length: Math.ceil(keys / most) }, (_, page) => page * most);
  await Promise.all(
    pages.map((from) => {
      const writes = Array.from({ length: Math.min(most, keys - from) }, (_, index) => writeOf(from + index, 0));
      return space.append(0, space.codec.encodeIntent(intentOf(space, `fill ${from}`, { writes })));
    }),
  );
  const { commits } = space.view.statistics(0);
  await space.close();
  if (commits !== pages.length) throw new Error(`${pages.length - commits} of ${pages.length} intents were refused`);
}
