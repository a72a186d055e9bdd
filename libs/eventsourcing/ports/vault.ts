/**
 * Secrets that must be had again in the clear, such as card numbers (ruling D9): kept outside the log and the views, sealed
 * with AES-256-GCM under a key of the installation, each bound to its id.
 */
export interface Vault {
  /** Keeps a secret; one that was there under the same id is replaced and overwritten. Durable before it returns. */
  put(id: string, secret: Buffer): Promise<void>;
  /** The secret, byte for byte; undefined when there is none, or it was destroyed. */
  get(id: string): Promise<Buffer | undefined>;
  /** Overwrites the secret; durable before it returns. Again, or of an unknown id: the same. A later `put` starts anew. */
  destroy(id: string): Promise<void>;
  /**
   * A keyed hash by which a secret is known again without opening any: 32 lower-case hex characters, the same for the same
   * text and installation for ever.
   */
  fingerprint(text: string): string;
  close(): Promise<void>;
}
