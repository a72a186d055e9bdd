import { type Keyring, SecretSeal, type Vault } from '#eventsourcing';
import type { StateLink } from './state-link.js';

/** Secrets in state.db, sealed under the master key with their id; only the calling thread ever holds an open one. */
export class EmbeddedVault implements Vault {
  private readonly seal: SecretSeal;

  constructor(
    private readonly link: StateLink,
    keyring: Keyring,
  ) {
    this.seal = new SecretSeal(keyring);
  }

  async put(id: string, secret: Buffer): Promise<void> {
    // Copied: a Buffer lies in a pool, and would take all of it along to the other thread.
    const sealed = new Uint8Array(this.seal.seal(id, secret));
    await this.link.request({ op: 'put-secret', id, sealed });
  }

  async get(id: string): Promise<Buffer | undefined> {
    const sealed = await this.link.request({ op: 'get-secret', id });
    return sealed && this.seal.open(id, sealed);
  }

  async destroy(id: string): Promise<void> {
    await this.link.request({ op: 'destroy-secret', id });
  }

  fingerprint(text: string): string {
    return this.seal.fingerprint(text);
  }

  /** The file belongs to the EmbeddedState, which closes it. */
  async close(): Promise<void> {}
}
