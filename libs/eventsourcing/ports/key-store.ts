/**
 * The keys that seal personal data, one per person, kept outside the log. Destroying a key erases the person from every
 * copy of the log and of the views.
 */
export interface KeyStore {
  /** The person's key, made when there is none; durable before it is returned. Destroyed ones stay destroyed: undefined. */
  obtain(person: string): Promise<Buffer | undefined>;
  /** The person's 32-byte key; undefined when it was never made or is destroyed. */
  get(person: string): Promise<Buffer | undefined>;
  /** Whether the person ever had a key, be it destroyed. */
  knows(person: string): Promise<boolean>;
  /** Destroys the key for ever; durable before it returns. Again, or of an unknown person: the same. */
  destroy(person: string): Promise<void>;
  close(): Promise<void>;
}
