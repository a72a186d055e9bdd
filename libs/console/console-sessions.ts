import { changeEntry, type Clock, type KeyValueStore, type Keyring } from '#eventsourcing';
import { MINUTE } from '#kernel';
import { CONSOLE } from '#kernel/bounds';
import { type KeptSession, livingIn, withSession } from './session-list.js';

/** The entry of the key-value store with all sessions: it is bounded, and what has ended leaves it with the next change. */
export const SESSIONS_ENTRY = 'console sessions';
/** A use is written down at most so often, in milliseconds. */
const NOTED_EVERY = MINUTE;

/**
 * The sessions of browsers that show the console (rule G13.2). They are kept beside the keys of the installation, so that all
 * APIs share them, and as keyed hashes: whoever reads them there cannot sign in with them. A session is a right to act as the
 * holder of its token, and ends with that token.
 */
export class ConsoleSessions {
  /** What stands in while nothing may be written beside the keys: an operator must sign in then, too. */
  readonly #aside = new SessionsAside();

  /** @param mayWrite whether this process may write beside the keys now */
  constructor(
    private readonly keyValues: KeyValueStore,
    private readonly keyring: Pick<Keyring, 'hash' | 'secret'>,
    private readonly clock: Pick<Clock, 'now'>,
    private readonly mayWrite: () => boolean,
  ) {}

  /**
   * Begins a session.
   * @param credential the keyed hash of the token
   * @returns the secret for the cookie, which is kept nowhere
   */
  async begin(credential: string): Promise<string> {
    const secret = this.keyring.secret();
    const now = this.clock.now();
    const added = { hash: this.#hash(secret), credential, begun: now, used: now };
    await this.#change((living) => withSession(living, added));
    return secret;
  }

  /** The keyed hash of the token that a session was begun with; undefined if it is unknown or has ended. */
  async find(secret: string): Promise<string | undefined> {
    const hash = this.#hash(secret);
    const now = this.clock.now();
    const living = livingIn(await this.#store.get(SESSIONS_ENTRY), now);
    const found = living.find((each) => each.hash === hash);
    if (found === undefined) return undefined;
    if (now >= found.used + NOTED_EVERY) await this.#noteUse(hash, now);
    return found.credential;
  }

  /** Ends a session; nothing if it is unknown. */
  async end(secret: string): Promise<void> {
    const hash = this.#hash(secret);
    await this.#change((living) => living.filter((each) => each.hash !== hash));
  }

  async #noteUse(hash: string, now: number): Promise<void> {
    const used = Math.max(now, 0);
    const change = this.#change((living) => living.map((each) => (each.hash === hash ? { ...each, used } : each)));
    // A later use makes up for it.
    await change.catch(() => undefined);
  }

  async #change(change: (living: readonly KeptSession[]) => readonly KeptSession[]): Promise<void> {
    await changeEntry(this.#store, SESSIONS_ENTRY, (text) => {
      const changed = JSON.stringify(change(livingIn(text, this.clock.now())));
      return text === undefined && changed === '[]' ? undefined : changed;
    });
  }

  #hash(secret: string): string {
    return this.keyring.hash('console-session', secret);
  }

  get #store(): KeyValueStore {
    return this.mayWrite() ? this.keyValues : this.#aside;
  }
}

/** Sessions in the memory of the process alone. */
class SessionsAside implements KeyValueStore {
  #text: string | undefined;

  get(): Promise<string | undefined> {
    return Promise.resolve(this.#text);
  }

  insert(_: string, text: string): Promise<string> {
    this.#text ??= text;
    return Promise.resolve(this.#text);
  }

  replace(_: string, expected: string, text: string): Promise<boolean> {
    if (this.#text !== expected) return Promise.resolve(false);
    this.#text = text;
    return Promise.resolve(true);
  }
}

/** Seconds that a browser keeps the cookie. */
export const COOKIE_SECONDS = CONSOLE.lasts / 1_000;
