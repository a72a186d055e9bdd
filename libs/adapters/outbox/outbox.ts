import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Sender } from '#adapters/mime';
import type { Clock, Randomness } from '#eventsourcing/ports';
import { syncFolder } from '#files';
import { isAddress, type Mail, Mailer, type MailOutcome, NO_ADDRESS } from '#mailing/mail';

export interface OutboxOptions {
  /** It is made with the first mail. */
  readonly folder: string;
  readonly from: Sender;
  /** Tells the date of each mail. */
  readonly clock: Clock;
  readonly randomness: Randomness;
  /** The newest mails that it keeps; `KEPT_MAILS` by default. */
  readonly kept?: number;
}

/** How many mails stay in the outbox: nobody gets them, and nothing else would ever delete one. */
export const KEPT_MAILS = 10_000;
/** Of so many mails that it keeps, it may have one more: then it looks which are the oldest. */
const PER_TOO_MANY = 10;
/** Files whose time is asked at once. */
const TOGETHER = 100;

/** Names that every file system takes, and distinguishes. */
const PLAIN = /^[a-z0-9][a-z0-9.@_=+-]{0,150}$/;
/** The end of the name of a file that is not complete. */
const UNFINISHED = '.tmp';
const MAIL = '.eml';

/**
 * Mails as files: one `.eml` each, which mail programs open. A file has its name from the Message-ID, so a repeat replaces it. It
 * is on disk before the mail counts as sent. The newest mails stay, and the oldest are deleted.
 */
export class Outbox extends Mailer {
  /** The folder is there, as far as we know. */
  #prepared: Promise<void> | undefined;
  #cleaned = false;
  readonly #writing = new Set<Promise<unknown>>();
  /** Mails since it looked last for too many. */
  #written = 0;
  #closed = false;

  constructor(private readonly options: OutboxOptions) {
    super();
  }

  override async send(mail: Mail): Promise<MailOutcome> {
    if (this.#closed) return { kind: 'delayed', reason: 'the outbox is closed' };
    if (!isAddress(mail.to)) return NO_ADDRESS;
    return this.#tracked(this.write(mail));
  }

  override async forget(ids: readonly string[]): Promise<void> {
    while (this.#writing.size > 0) await Promise.all(this.#writing);
    const { folder } = this.options;
    // It is made with the first mail.
    const names = existsSync(folder) ? await readdir(folder) : [];
    const theirs = names.filter((name) => ids.some((id) => name.includes(`.${id}@`)));
    await Promise.all(theirs.map((name) => rm(join(folder, name), { force: true })));
    if (theirs.length > 0) syncFolder(folder);
  }

  override async close(): Promise<void> {
    this.#closed = true;
    while (this.#writing.size > 0) await Promise.all(this.#writing);
  }

  private async write(mail: Mail): Promise<MailOutcome> {
    const { folder, from, clock, randomness } = this.options;
    const file = join(folder, nameOf(mail.messageId));
    const beside = `${file}.${randomness.uuid()}${UNFINISHED}`;
    try {
      await (this.#prepared ??= this.prepare());
      // The library of mails is large, and most starts send none.
      const { compose } = await import('#adapters/mime');
      await writeSynced(beside, await compose(mail, from, clock.now()));
      await rename(beside, file);
      syncFolder(folder);
      this.#count();
      return { kind: 'sent' };
    } catch (error) {
      await rm(beside, { force: true }).catch(() => undefined);
      this.#prepared = undefined;
      const { code, message } = error as NodeJS.ErrnoException;
      return { kind: 'delayed', reason: `the outbox ${folder} cannot be written: ${code ?? message}` };
    }
  }

  /** Makes the folder, readable by its owner only, and removes what a killed process left unfinished. */
  private async prepare(): Promise<void> {
    const { folder } = this.options;
    await mkdir(folder, { recursive: true, mode: 0o700 });
    // Later, others of this process may be under way.
    if (this.#cleaned) return;
    this.#cleaned = true;
    const names = await readdir(folder);
    const unfinished = names.filter((name) => name.endsWith(UNFINISHED));
    await Promise.all(unfinished.map((name) => rm(join(folder, name), { force: true })));
    this.#written = names.length - unfinished.length - this.#kept;
  }

  get #kept(): number {
    return this.options.kept ?? KEPT_MAILS;
  }

  /** Counts a mail, and lets the oldest go beside the next ones if it is time. */
  #count(): void {
    this.#written += 1;
    if (this.#written <= this.#kept / PER_TOO_MANY) return;
    this.#written = 0;
    void this.#tracked(this.#deleteOldest());
  }

  /** Deletes what is too much. If that fails, the next look tries again: a mail is not late because of it. */
  async #deleteOldest(): Promise<void> {
    const { folder } = this.options;
    try {
      const names = (await readdir(folder)).filter((name) => name.endsWith(MAIL));
      const times = new Map<string, number>();
      for (let at = 0; at < names.length; at += TOGETHER) {
        const some = names.slice(at, at + TOGETHER);
        const found = await Promise.all(some.map(async (name) => (await stat(join(folder, name))).mtimeMs));
        some.forEach((name, index) => times.set(name, found[index] ?? 0));
      }
      const oldest = names.toSorted((a, b) => (times.get(a) ?? 0) - (times.get(b) ?? 0));
      const tooMany = Math.max(0, names.length - this.#kept);
      for (const name of oldest.slice(0, tooMany)) await rm(join(folder, name), { force: true });
    } catch {
      // Somebody may be deleting mails.
    }
  }

  async #tracked<T>(work: Promise<T>): Promise<T> {
    this.#writing.add(work);
    try {
      return await work;
    } finally {
      this.#writing.delete(work);
    }
  }
}

function nameOf(messageId: string): string {
  const plain = messageId.replace(/^<|>$/g, '');
  return `${PLAIN.test(plain) ? plain : createHash('sha256').update(messageId).digest('hex')}${MAIL}`;
}

async function writeSynced(file: string, content: Buffer): Promise<void> {
  const handle = await open(file, 'w', 0o600);
  try {
    await handle.writeFile(content);
    await handle.sync();
  } finally {
    await handle.close();
  }
}
