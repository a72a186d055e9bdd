/**
 * Secrets that must be readable again, such as card numbers (ruling D9). It is outside the log and the views. Each secret is
 * sealed with AES-256-GCM under a key of the installation and bound to its id.
 */
export interface Vault {
  /** Stores a secret and overwrites an earlier one with the same id. Durable before it returns. */
  put(id: string, secret: Buffer): Promise<void>;
  /** The secret, byte for byte; undefined if there is none or it was destroyed. */
  get(id: string): Promise<Buffer | undefined>;
  /**
   * Overwrites the secret; durable before it returns. A repeat, or an unknown id, has the same result. A later `put` starts
   * again.
   */
  destroy(id: string): Promise<void>;
  /**
   * A keyed hash that identifies a secret without opening any: 32 lower-case hex characters, always the same for the same
   * text and installation.
   */
  fingerprint(text: string): string;
  close(): Promise<void>;
}

/** Injects it: an interface is gone when the program runs. */
export const Vault = Symbol('Vault');
