const lengthBytes = 4;

/** Cuts a stream of bytes into messages that begin with their length, as Kafka's do. */
export class Frames {
  readonly #onFrame: (frame: Buffer) => void;
  #rest: Buffer = Buffer.alloc(0);

  /** @param onFrame gets each message whole, its length included */
  constructor(onFrame: (frame: Buffer) => void) {
    this.#onFrame = onFrame;
  }

  push(data: Buffer): void {
    this.#rest = this.#rest.length === 0 ? data : Buffer.concat([this.#rest, data]);
    while (this.#rest.length >= lengthBytes) {
      const size = lengthBytes + this.#rest.readInt32BE(0);
      if (this.#rest.length < size) return;
      const frame = this.#rest.subarray(0, size);
      this.#rest = this.#rest.subarray(size);
      this.#onFrame(frame);
    }
  }
}
