import { SqliteFile, type Random } from "@seriatim/log";
import { isFailure } from "@seriatim/protocol";
import { View } from "@seriatim/view";
import { SimulatedProcess } from "./process.ts";
import type { World } from "./world.ts";

/** How long, in ms, whoever is started on other logs than its own may take to notice. */
const longestStart = 60_000;

/** One life of a member: from a start to the next kill. */
export interface Life {
  readonly process: SimulatedProcess;
  readonly file: SqliteFile;
  readonly view: View;
}

/** The longest time between a kill and the next start, in ms. */
const longestRestart = 800;

/**
 * A process with a view, started again whenever it was killed: with what its file held then, with an older copy of it,
 * or with nothing.
 */
export abstract class Member {
  readonly name: string;
  protected readonly world: World;
  protected readonly random: Random;
  /** Undefined while it is not running. */
  life: Life | undefined;
  lives = 0;
  readonly #copies: Uint8Array[] = [];
  #isOver = false;

  constructor(world: World, name: string) {
    this.world = world;
    this.name = name;
    this.random = world.fork();
  }

  /** Resolves when its process ended; rejects when it ended by itself, and why. */
  protected abstract work(life: Life): Promise<void>;

  /** Lives until `end`, over and over. */
  async live(): Promise<void> {
    while (!this.#isOver) {
      await this.#liveOnce();
      if (!this.#isOver) await this.world.clock.sleep(1 + this.random.below(longestRestart));
    }
  }

  /** Keeps what its file holds now, for a later start. */
  copy(): void {
    if (this.life?.file.isOpen === true) this.#copies.push(this.life.file.database.serialize());
  }

  kill(): void {
    this.copy();
    this.life?.process.kill();
    this.life = undefined;
  }

  /** Kills it for good. */
  end(): void {
    this.#isOver = true;
    this.kill();
  }

  /** What it begins with when it is started the next time. */
  protected image(): Uint8Array {
    const latest = this.#copies.at(-1);
    if (latest === undefined || this.random.chance(0.15)) {
      if (latest !== undefined) this.world.note("noView");
      return this.world.emptyView;
    }
    if (this.random.chance(0.6)) return latest;
    this.world.note("oldView");
    return this.#copies[this.random.below(this.#copies.length)] ?? latest;
  }

  /** Starts it once more, with such a view; resolves with what it ended with by itself, or not at all in time. */
  async outcomeOfStart(image: Uint8Array): Promise<unknown> {
    const life = await this.open(image);
    const outcome = this.work(life).then(
      () => "ended",
      (error: unknown) => error,
    );
    const ended = await Promise.race([outcome, this.world.clock.sleep(longestStart)]);
    life.process.kill();
    return ended;
  }

  /** Whether it is never started again. */
  get hasEnded(): boolean {
    return this.#isOver;
  }

  /** What its file held at one time and another, the latest last. */
  get copies(): readonly Uint8Array[] {
    return this.#copies;
  }

  /** What to do about having ended by itself. */
  protected ended(error: unknown): void {
    if (this.world.hasLost && isFailure(error, "log_changed")) return this.end();
    this.world.fail(new Error(`${this.name} stopped by itself`, { cause: error }));
  }

  /** Begins a life with this image. */
  async open(image: Uint8Array): Promise<Life> {
    const file = SqliteFile.inMemory(image);
    const life = { process: new SimulatedProcess(this.world), file, view: await View.open(file) };
    this.life = life;
    this.lives += 1;
    return life;
  }

  async #liveOnce(): Promise<void> {
    const life = await this.open(this.image());
    const { process, file } = life;
    const working = this.work(life).catch((error: unknown) => {
      if (process.isDead) return;
      this.ended(error);
      this.kill();
    });
    await Promise.race([working, process.killed]);
    // What a killed process was in the midst of ends in its own time.
    void working.then(() => file.close());
  }
}
