import { createHash } from 'node:crypto';
import { mkdir, open, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Sender } from '#adapters/mime';
import { type Clock, type Randomness, syncFolder } from '#eventsourcing/ports';
import { isAddress, type Mail, Mailer, type MailOutcome, NO_ADDRESS } from '#mailing/mail';

export interface OutboxOptions {
  /** It is made with the first mail. */
  readonly folder: string;
  readonly from: Sender;
  /** Tells the date of each mail. */
  readonly clock: Clock;
  readonly randomness: Randomness;
}

/** Names that every file system takes, and tells apart. */
const PLAIN = /^[a-z0-9][a-z0-9.@_=+-]{0,150}$/;
/** The end of the name of a file that is not complete. */
const UNFINISHED = '.tmp';

/**
 * Mails as files: one `.eml` each, which mail programs open. A file has its name from the Message-ID, so a repeat replaces it. It
 * is on disk before the mail counts as sent.
 */
export class Outbox extends Mailer {
  /** The folder is there, as far as we know. */
  #prepared: Promise<void> | undefined;
  #cleaned = false;
  readonly #writing = new Set<Promise<unknown>>();
  #closed = false;

  constructor(private readonly options: OutboxOptions) {
    super();
  }

  override async send(mail: Mail): Promise<MailOutcome> {
    if (this.#closed) return { kind: 'delayed', reason: 'the outbox is closed' };
    if (!isAddress(mail.to)) return NO_ADDRESS;
    const writing = this.write(mail);
    this.#writing.add(writing);
    try {
      return await writing;
    } finally {
      this.#writing.delete(writing);
    }
  }

  override async close(): Promise<void> {
    this.#closed = true;
    await Promise.all(this.#writing);
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
    const unfinished = (await readdir(folder)).filter((name) => name.endsWith(UNFINISHED));
    await Promise.all(unfinished.map((name) => rm(join(folder, name), { force: true })));
  }
}

function nameOf(messageId: string): string {
  const plain = messageId.replace(/^<|>$/g, '');
  return `${PLAIN.test(plain) ? plain : createHash('sha256').update(messageId).digest('hex')}.eml`;
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
