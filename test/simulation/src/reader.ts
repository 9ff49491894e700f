import { sha256 } from "@seriatim/protocol";
import { follow, verifyPosition, type Advance } from "@seriatim/view";
import { Member, type Life } from "./member.ts";
import { partitions } from "./world.ts";

/** Follows the verdicts into its view, as every process that is no sequencer does. */
export class Reader extends Member {
  protected override async work(life: Life): Promise<void> {
    await this.follow(life, () => undefined);
  }

  protected async follow(life: Life, onAdvance: (advance: Advance) => void): Promise<void> {
    const { codec } = this.world;
    const { process, view, file } = life;
    const { signal } = process;
    const [intents, verdicts] = [process.on(this.world.intents), process.on(this.world.verdicts)];
    await verifyPosition({ intents, verdicts, view, partitions, hash: sha256, signal });
    await follow({ log: verdicts, view, file, codec, partitions, signal, onAdvance, onAlarm: () => undefined }).ended;
  }
}
