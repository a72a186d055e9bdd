/**
 * The keys that seal personal data, one per person, outside the log. Destroying a key erases the person from every copy of
 * the log and the views.
 */
export interface KeyStore {
  /**
   * The person's key; makes one if there is none. Durable before it is returned. Undefined for a destroyed key, which stays
   * destroyed.
   */
  obtain(person: string): Promise<Buffer | undefined>;
  /** The person's 32-byte key; undefined if it never existed or is destroyed. */
  get(person: string): Promise<Buffer | undefined>;
  /** Whether the person ever had a key, even a destroyed one. */
  knows(person: string): Promise<boolean>;
  /**
   * Everybody who ever had a key, also a destroyed one, in pages. It may leave out whoever gets a key meanwhile.
   * @param size of a page
   */
  persons(size: number): AsyncIterable<readonly string[]>;
  /** Destroys the key for ever; durable before it returns. A repeat, or an unknown person, has the same result. */
  destroy(person: string): Promise<void>;
  close(): Promise<void>;
}
