import { generateKeyPairSync } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { MAIL, SENDER, SIGNING } from '../../../test/contracts/mailer.contract.js';
import { checkDkim } from '../../../test/support/dkim.js';
import { parsed } from '../../../test/support/parsed-mail.js';
import { tempFolder } from '../../../test/support/temp-folder.js';
import { compose } from './compose.js';

const DATE = Date.UTC(2026, 0, 1);

describe('H3: the signature of a mail', () => {
  it.each([
    ['its subject', 'Subject: Spa day', 'Subject: Spa week'],
    ['its sender', 'shop@deals', 'shot@deals'],
    ['its text', 'A spa day', 'A spa week'],
    ['where it is unsubscribed', 'unsubscribe/abc', 'unsubscribe/abd'],
    ['how it is unsubscribed', 'List-Unsubscribe=One-Click', 'List-Unsubscribe=Two-Click'],
  ])('is broken by a change of %s', async (_, from, to) => {
    const raw = (await compose(MAIL, SENDER, DATE)).toString('latin1');
    expect(checkDkim(Buffer.from(raw, 'latin1'), SIGNING.publicKey).valid).toBe(true);
    expect(raw).toContain(from);
    expect(checkDkim(Buffer.from(raw.replace(from, to), 'latin1'), SIGNING.publicKey).valid).toBe(false);
  });

  it('is not there without a key', async () => {
    const raw = await compose(MAIL, { ...SENDER, dkim: undefined }, DATE);
    expect(Object.keys(parsed(raw).headers)).not.toContain('dkim-signature');
  });

  it('must be made: with a key that cannot sign, there is no mail', async () => {
    const { privateKey } = generateKeyPairSync('ed25519');
    const key = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
    const dkim = { domain: 'deals.example.com', selector: 's', key };
    await expect(compose(MAIL, { ...SENDER, dkim }, DATE)).rejects.toThrow('check DKIM_KEY');
  });
});

describe('the bytes of a mail', () => {
  it('name no program and no version', async () => {
    const { headers } = parsed(await compose(MAIL, SENDER, DATE));
    expect(Object.keys(headers).toSorted()).toEqual([
      'content-type',
      'date',
      'dkim-signature',
      'from',
      'list-unsubscribe',
      'list-unsubscribe-post',
      'message-id',
      'mime-version',
      'subject',
      'to',
    ]);
  });

  it('hold no file and no page, whatever their texts name', async () => {
    const folder = tempFolder();
    const file = join(folder.path, 'secret');
    writeFileSync(file, 'secret');
    const html = `<img src="file://${file}"><img src="cid:x"><a href="http://127.0.0.1:1/">x</a>`;
    const { parts } = parsed(await compose({ ...MAIL, html, text: `file://${file}` }, SENDER, DATE));
    expect(parts.map(({ content }) => content)).toEqual([`file://${file}`, html]);
    folder.remove();
  });

  it('show the name of the sender as it is, whatever it contains', async () => {
    const from = { ...SENDER, name: 'Müller, "Spa" <& Co>' };
    const { headers } = parsed(await compose(MAIL, from, DATE));
    expect(headers['from']).toEqual(['Müller, "Spa" <& Co> <shop@deals.example.com>']);
    const alone = await compose(MAIL, { ...SENDER, name: '' }, DATE);
    expect(parsed(alone).headers['from']).toEqual(['shop@deals.example.com']);
  });
});
