import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parsed, type ParsedMail } from './parsed-mail.js';
import type { RunningService } from './running-service.js';

const PATIENCE = 240_000;

/** The mails in a service's outbox whose Message-ID begins so, by their file names. */
export function mailsOf({ dataDir }: Pick<RunningService, 'dataDir'>, beginning = ''): ReadonlyMap<string, ParsedMail> {
  const folder = join(dataDir, 'outbox');
  const names = existsSync(folder) ? readdirSync(folder) : [];
  const complete = names.filter((name) => name.startsWith(beginning) && name.endsWith('.eml')).toSorted();
  return new Map(complete.map((name) => [name, parsed(readFileSync(join(folder, name)))]));
}

/** Waits until so many such mails are in the outbox. */
export async function untilMails(
  service: Pick<RunningService, 'dataDir'>,
  count: number,
  beginning = '',
): Promise<ReadonlyMap<string, ParsedMail>> {
  const deadline = Date.now() + PATIENCE;
  for (;;) {
    const mails = mailsOf(service, beginning);
    if (mails.size >= count) return mails;
    if (Date.now() > deadline) throw new Error(`there are ${mails.size} mails, not ${count}`);
    await pause(20);
  }
}

/** The addresses that a mail goes to. */
export function readersOf(mails: ReadonlyMap<string, ParsedMail>): readonly string[] {
  return [...mails.values()].flatMap(({ headers }) => headers['to'] ?? []).toSorted();
}
