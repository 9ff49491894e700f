import { closeSync, fdatasyncSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";

/** What a write of 4 KiB that survives a power cut takes here and now, in ms, p50. */
export function syncTime(folder: string): number {
  const file = openSync(join(folder, "sync"), "w");
  const page = Buffer.alloc(4096, 1);
  const times: number[] = [];
  try {
    for (let index = 0; index < 50; index += 1) {
      const begun = performance.now();
      writeSync(file, page, 0, page.length, index * page.length);
      fdatasyncSync(file);
      times.push(performance.now() - begun);
    }
  } finally {
    closeSync(file);
  }
  return times.toSorted((a, b) => a - b)[25] ?? 0;
}
