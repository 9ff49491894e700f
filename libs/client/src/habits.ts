/** How many are remembered; then it begins anew. */
const most = 10_000;

/** Whether an agent that reads what is contended for writes it too. Who only reads need not take turns. */
export class Habits {
  readonly #readers = new Set<string>();

  isWriter(agent: string, name: string): boolean {
    return !this.#readers.has(`${agent}\0${name}`);
  }

  note(agent: string, name: string, isWriter: boolean): void {
    const habit = `${agent}\0${name}`;
    if (isWriter) this.#readers.delete(habit);
    else {
      if (this.#readers.size >= most) this.#readers.clear();
      this.#readers.add(habit);
    }
  }
}
