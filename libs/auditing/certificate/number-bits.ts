/** A set of whole numbers from 0 that grows in place: one bit for each number up to the largest. */
export class NumberBits {
  #bits = new Uint8Array(128);

  has(number: number): boolean {
    return ((this.#bits[number >>> 3] ?? 0) & (1 << (number & 7))) !== 0;
  }

  add(number: number): void {
    const at = number >>> 3;
    if (at >= this.#bits.length) {
      const larger = new Uint8Array(Math.max(2 * this.#bits.length, at + 1));
      larger.set(this.#bits);
      this.#bits = larger;
    }
    this.#bits[at] = (this.#bits[at] ?? 0) | (1 << (number & 7));
  }

  delete(number: number): void {
    const at = number >>> 3;
    if (at < this.#bits.length) this.#bits[at] = (this.#bits[at] ?? 0) & ~(1 << (number & 7));
  }
}
