/** Every version of every key in one list, and the slow, plain way to read it. Keys are compared as UTF-8 buffers. */
export interface ModelWrite {
  readonly key: string;
  readonly version: number;
  readonly value: string | null;
}

export interface ModelRange {
  readonly from: string;
  readonly to: string;
}

export function compareKeys(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

export class Model {
  readonly writes: ModelWrite[] = [];

  commit(version: number, entries: ReadonlyMap<string, string | null>): void {
    for (const [key, value] of entries) this.writes.push({ key, version, value });
  }

  get(key: string, at: number): ModelWrite | undefined {
    const last = this.writes.findLast((write) => write.key === key && write.version <= at);
    return last === undefined || last.value === null ? undefined : last;
  }

  scan({ from, to }: ModelRange, at: number): ModelWrite[] {
    return this.#keys()
      .filter((key) => compareKeys(key, from) >= 0 && compareKeys(key, to) < 0)
      .map((key) => this.get(key, at))
      .filter((write) => write !== undefined);
  }

  newestIn({ from, to }: ModelRange, after: number): { key: string; version: number }[] {
    return this.#keys()
      .filter((key) => compareKeys(key, from) >= 0 && compareKeys(key, to) < 0)
      .map((key) => ({ key, version: this.lastWrite(key) }))
      .filter(({ version }) => version > after);
  }

  lastWrite(key: string): number {
    return this.writes.findLast((write) => write.key === key)?.version ?? -1;
  }

  history(key: string): ModelWrite[] {
    return this.writes.filter((write) => write.key === key).toReversed();
  }

  #keys(): string[] {
    return [...new Set(this.writes.map(({ key }) => key))].toSorted(compareKeys);
  }
}
