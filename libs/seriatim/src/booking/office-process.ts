import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { OfficeReport } from "@seriatim/workloads";
import type { Processes } from "../staging/processes.ts";

const officeModule = fileURLToPath(new URL("./office.js", import.meta.url));

/** The box office, seen from its parent. */
export class OfficeProcess {
  readonly url: string;

  private constructor(url: string) {
    this.url = url;
  }

  /** Resolves when it listens. */
  static async start(processes: Processes, seed: number): Promise<OfficeProcess> {
    const child = processes.start({ name: "box-office", module: officeModule, arguments: [String(seed)] });
    const [message] = (await once(child, "message")) as [{ readonly url: string }];
    return new OfficeProcess(message.url);
  }

  async report(): Promise<OfficeReport> {
    return (await (await fetch(this.url)).json()) as OfficeReport;
  }
}
