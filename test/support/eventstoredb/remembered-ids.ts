/** The number of ids that the server remembers: with 8 MiB it forgot them between 100,000 and 150,000 events later. */
const MOST = 125_000;

/** The stream where each of the most recent ids was written first, and its last revision there. Lost with the process. */
export class RememberedIds {
  readonly #places = new Map<string, { readonly stream: string; readonly revision: number }>();

  put(stream: string, id: string, revision: number): void {
    if ((this.#places.get(id)?.stream ?? stream) !== stream) return;
    this.#places.delete(id);
    this.#places.set(id, { stream, revision });
    if (this.#places.size <= MOST) return;
    const [oldest] = this.#places.keys();
    if (oldest !== undefined) this.#places.delete(oldest);
  }

  /** undefined if its first write was to another stream. */
  revisionOf(stream: string, id: string): number | undefined {
    const place = this.#places.get(id);
    return place?.stream === stream ? place.revision : undefined;
  }

  clear(): void {
    this.#places.clear();
  }
}
