/** The content of a file in memory, as the system shows it to every process. */
export class Pages {
  #bytes = Buffer.alloc(0);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  write(at: number, data: Buffer): void {
    this.#reach(at + data.length);
    data.copy(this.#bytes, at);
  }

  /** Cuts it off, or lets it grow by zeros. */
  resize(size: number): void {
    if (size > this.#size) this.#reach(size);
    // What was cut off reads as zeros when the file grows again.
    else this.#bytes.fill(0, size, this.#size);
    this.#size = size;
  }

  /** The bytes from one place to another, as far as there are any. */
  slice(from: number, to: number): Buffer {
    return this.#bytes.subarray(from, Math.min(to, this.#size));
  }

  bytes(): Buffer {
    return this.slice(0, this.#size);
  }

  copy(): Pages {
    const copy = new Pages();
    copy.write(0, this.bytes());
    return copy;
  }

  #reach(size: number): void {
    if (size > this.#bytes.length) {
      const larger = Buffer.alloc(Math.max(size, 2 * this.#bytes.length, 4096));
      this.#bytes.copy(larger, 0, 0, this.#size);
      this.#bytes = larger;
    }
    this.#size = Math.max(this.#size, size);
  }
}
