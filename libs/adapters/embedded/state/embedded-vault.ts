import { type Keyring, SecretSeal, type Vault } from '#eventsourcing';
import { forThread } from './messages.js';
import type { StateLink } from './state-link.js';

/** Secrets in state.db, each sealed with its id. Only the calling thread ever holds an open secret. */
export class EmbeddedVault implements Vault {
  private readonly seal: SecretSeal;

  constructor(
    private readonly link: StateLink,
    keyring: Keyring,
  ) {
    this.seal = new SecretSeal(keyring);
  }

  async put(id: string, secret: Buffer): Promise<void> {
    await this.link.request({ op: 'put-secret', id, sealed: forThread(this.seal.seal(id, secret)) });
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

  /** EmbeddedState owns the file and closes it. */
  async close(): Promise<void> {}
}
