import { type KeyValueStore, findingOf, type Finding } from '#eventsourcing';
import { readAccepted } from './accepted.js';
import type { LogMark } from './log-mark.js';
import { INSTALLATION_ENTRY } from './ownership.js';
import { lastOf } from './ownership-findings.js';

/**
 * Detects that a running process's key store was dropped, replaced by another installation's, or replaced by an older copy.
 * It compares the mark, which never goes back by itself. A copy made after the mark's last move looks the same as the
 * original.
 */
export class KeyStoreWatch {
  private constructor(
    private readonly keyValues: KeyValueStore,
    private readonly mark: Pick<LogMark, 'wentBack'>,
    private readonly installation: string | undefined,
    private readonly accepted: ReadonlySet<string>,
  ) {}

  /** Begins with the present state. */
  static async begin(keyValues: KeyValueStore, mark: Pick<LogMark, 'wentBack'>): Promise<KeyStoreWatch> {
    const accepted = new Set((await readAccepted(keyValues)).map(({ code }) => code));
    return new KeyStoreWatch(keyValues, mark, await keyValues.get(INSTALLATION_ENTRY), accepted);
  }

  /** The finding if the key store is not what it was. @throws Unavailable if it cannot be asked */
  async look(): Promise<Finding | undefined> {
    const back = await this.mark.wentBack();
    if (back === undefined) return undefined;
    const { from, to } = back;
    const known = [from.identity, from.position, from.id];
    if (await this.#wasAccepted()) {
      return findingOf(
        'accepted elsewhere',
        'At the start of another process, an operator has accepted another state of the event log. This process continues ' +
          'by itself when the log has that state.',
        known,
      );
    }
    return findingOf(
      'key store',
      `${await this.#words()} It knows ${to === undefined ? 'no event' : lastOf(to)}, but has known ${lastOf(from)}. ` +
        'Restore the right one and start again. A start with the present one says what that would lose.',
      known,
    );
  }

  /** Whether a new start may use the key store: it is what it was, or an operator has accepted what it knows. */
  async isRight(): Promise<boolean> {
    return (await this.mark.wentBack()) === undefined || this.#wasAccepted();
  }

  async #wasAccepted(): Promise<boolean> {
    if ((await this.keyValues.get(INSTALLATION_ENTRY)) !== this.installation) return false;
    return (await readAccepted(this.keyValues)).some(({ code }) => !this.accepted.has(code));
  }

  async #words(): Promise<string> {
    const installation = await this.keyValues.get(INSTALLATION_ENTRY);
    if (installation === undefined) return 'The key store was deleted, or replaced by an empty one.';
    if (installation === this.installation) return 'The key store was replaced by an older copy.';
    return `The key store belongs to another installation (${installation}) than this one (${this.installation}).`;
  }
}
