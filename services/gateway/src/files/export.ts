import type { Coordinator, Space } from "@seriatim/client";
import { plainGraph } from "../memory/answers.ts";
import { Memory } from "../memory/memory.ts";
import { memoryFile } from "./lines.ts";

/** The memory as a file that the reference memory server reads, at one version. */
export async function exportMemory(coordinator: Coordinator, space: Space): Promise<string> {
  const { graph } = await new Memory(coordinator, space).whole();
  const { entities, relations } = plainGraph(graph);
  return memoryFile(entities, relations);
}
