import { createPublicKey } from 'node:crypto';
import { openToOthers } from '#files';
import { readMailFiles } from '../../mail/mailer.js';
import type { Looks } from '../looks.js';
import { look, ok, type Result, together, wrong } from '../verdict.js';

/** Codes of a DNS that does not answer; others say that it has no such record. */
const NO_RECORD = new Set(['ENOTFOUND', 'ENODATA']);

/** Whether the record in the DNS is that of the key which signs mails. */
export async function checkDkim({ settings: { config }, lookUp }: Looks): Promise<Result> {
  const { dkim } = config;
  if (dkim === undefined)
    return ok(
      config.smtp === undefined ? 'not used: there is no mail server' : 'mails are not signed: DKIM_KEY is not set',
    );
  let pem: string | undefined;
  try {
    pem = readMailFiles({ ...config, smtp: undefined }).dkimKey;
  } catch (error) {
    return wrong((error as Error).message, 'Put the right key there.');
  }
  const open = openToOthers(dkim.key);
  const key = createPublicKey(pem ?? '')
    .export({ type: 'spki', format: 'der' })
    .toString('base64');
  const name = `${dkim.selector}._domainkey.${dkim.domain}`;
  return together([
    await recordOf(name, key, lookUp),
    ...(open === undefined ? [] : [look(`DKIM_KEY: ${open}`, 'Close the key to other users.')]),
  ]);
}

async function recordOf(name: string, key: string, lookUp: Looks['lookUp']): Promise<Result> {
  const publish = `Publish ${name} TXT "v=DKIM1; p=${key}"; or set DKIM_KEY to the key whose record is there.`;
  let records: readonly (readonly string[])[];
  try {
    records = await lookUp(name);
  } catch (error) {
    const { code = 'no answer' } = error as { readonly code?: string };
    return NO_RECORD.has(code)
      ? wrong(`the DNS has no record ${name}: receivers do not count the signature`, publish)
      : look(
          `the DNS does not answer (${code}): the record ${name} was not compared`,
          'Run this command again where the DNS answers.',
        );
  }
  const keys = records.map((parts) => /(?:^|;)\s*p\s*=\s*([^;]*)/.exec(parts.join(''))?.[1]?.replaceAll(/\s/g, ''));
  if (keys.includes(key)) return ok(`${name} is the record of the key`);
  return keys.includes('')
    ? wrong(`${name} is revoked (p= is empty)`, publish)
    : wrong(`${name} is the record of another key: receivers refuse the signature`, publish);
}
