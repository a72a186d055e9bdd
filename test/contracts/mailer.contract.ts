import { generateKeyPairSync } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Mail, Mailer } from '#mailing';
import { checkDkim } from '../support/dkim.js';
import { parsed, type ParsedMail } from '../support/parsed-mail.js';

/** A mailer with what it has handed over. */
export interface MailerSubject {
  readonly mailer: Mailer;
  /** The mails that are there, in the order of their Message-IDs. */
  mails(): Promise<readonly Buffer[]>;
  /** Closes everything that is open and deletes it. */
  dispose(): Promise<void>;
}

export const MAIL: Mail = {
  messageId: '<batch-1-user-1@deals.example.com>',
  to: 'ada@example.com',
  subject: 'Spa day: $40.00',
  html: '<p>A <b>spa</b> day</p>',
  text: 'A spa day\n',
  unsubscribe: 'https://deals.example.com/m/unsubscribe/abc',
};

export const SIGNING = generateKeyPairSync('rsa', { modulusLength: 2_048 });

/** The sender that every adapter has here. */
export const SENDER = {
  name: 'Shop',
  address: 'shop@deals.example.com',
  dkim: {
    domain: 'deals.example.com',
    selector: 'key2026',
    key: SIGNING.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  },
};

/** What every adapter of the port must do. */
export function mailerContract(name: string, makeSubject: () => Promise<MailerSubject>): void {
  describe(`mailer contract: ${name}`, () => {
    let subject: MailerSubject;
    beforeEach(async () => {
      subject = await makeSubject();
    });
    afterEach(() => subject.dispose());

    const sent = async (mail: Mail): Promise<ParsedMail> => {
      expect(await subject.mailer.send(mail)).toEqual({ kind: 'sent' });
      const mails = await subject.mails();
      expect(mails).toHaveLength(1);
      return parsed(mails[0] ?? Buffer.alloc(0));
    };

    it('F4: hands over the mail as HTML and text, with its Message-ID, its sender and its date', async () => {
      const { headers, parts } = await sent(MAIL);
      expect(headers).toMatchObject({
        'message-id': [MAIL.messageId],
        from: ['Shop <shop@deals.example.com>'],
        to: ['ada@example.com'],
        subject: [MAIL.subject],
        date: ['Thu, 01 Jan 2026 00:00:00 +0000'],
        'mime-version': ['1.0'],
      });
      // The last one is shown by preference.
      expect(parts).toEqual([
        { type: 'text/plain; charset=utf-8', content: MAIL.text },
        { type: 'text/html; charset=utf-8', content: MAIL.html },
      ]);
    });

    it('H3: one POST to an address ends the mails (RFC 8058), and only those that have such an address say so', async () => {
      expect((await sent(MAIL)).headers).toMatchObject({
        'list-unsubscribe': [`<${MAIL.unsubscribe}>`],
        'list-unsubscribe-post': ['List-Unsubscribe=One-Click'],
      });
      await subject.dispose();
      subject = await makeSubject();
      const { headers } = await sent({ ...MAIL, unsubscribe: null });
      expect(Object.keys(headers).filter((each) => each.startsWith('list-'))).toEqual([]);
    });

    it('H3: signs every mail, its unsubscribe headers included', async () => {
      const checked = checkDkim((await sent(MAIL)).raw, SIGNING.publicKey);
      expect(checked).toMatchObject({ valid: true, domain: 'deals.example.com', selector: 'key2026' });
      const needed = ['from', 'to', 'subject', 'date', 'message-id', 'list-unsubscribe', 'list-unsubscribe-post'];
      expect(checked.signed).toEqual(expect.arrayContaining(needed));
    });

    it('H3: keeps an unsubscribe address whole, however long it is', async () => {
      const unsubscribe = `https://deals.example.com/m/unsubscribe/${'aB3_-'.repeat(100)}`;
      expect((await sent({ ...MAIL, unsubscribe })).headers['list-unsubscribe']).toEqual([`<${unsubscribe}>`]);
    });

    it('keeps every character of the texts, in lines that every server passes on', async () => {
      const words = 'Zwölf Überraschungen für 20 € 🎁 = "null" & mehr';
      const mail = {
        ...MAIL,
        subject: `${words} ${'lang '.repeat(50)}`.trim(),
        text: `${words}\n.\n..dots\nFrom here\n${'x'.repeat(3_000)}\n`,
        html: `<p>${words.repeat(100)}</p>\n.\n`,
      };
      const { raw, headers, parts } = await sent(mail);
      expect(checkDkim(raw, SIGNING.publicKey).valid).toBe(true);
      expect(headers['subject']).toEqual([mail.subject]);
      expect(parts.map(({ content }) => content)).toEqual([mail.text, mail.html]);
      expect(raw.every((byte) => byte < 0x80)).toBe(true);
      const lines = raw.toString('latin1').split('\r\n');
      expect(lines.some((line) => /[\r\n]/.test(line))).toBe(false);
      expect(lines.filter((line) => line.length > 998)).toEqual([]);
    });

    it('takes no header from a text: a line break in it is none', async () => {
      const { headers } = await sent({ ...MAIL, subject: 'Spa\r\nBcc: eve@example.com\r\n\r\nBody' });
      expect(headers['bcc']).toBeUndefined();
      expect(headers['subject']).toEqual(['Spa Bcc: eve@example.com  Body']);
    });

    it.each([
      'ada@example.com, eve@example.com',
      'ada@example.com>\r\nBcc: <eve@example.com',
      '',
      'ada',
      '<>',
      'a b@c.d',
    ])('refuses %j, which is not one address, and hands over nothing', async (to) => {
      expect(await subject.mailer.send({ ...MAIL, to })).toEqual({
        kind: 'refused',
        reason: 'the address cannot be written to',
      });
      expect(await subject.mails()).toEqual([]);
    });

    it('F4: hands over many mails at a time, each once', async () => {
      const numbers = Array.from({ length: 50 }, (_, index) => String(index).padStart(2, '0'));
      const outcomes = await Promise.all(
        numbers.map((number) =>
          subject.mailer.send({ ...MAIL, messageId: `<${number}@example.com>`, to: `${number}@example.com` }),
        ),
      );
      expect(outcomes).toEqual(numbers.map(() => ({ kind: 'sent' })));
      const mails = (await subject.mails()).map((mail) => parsed(mail).headers['message-id']);
      expect(mails).toEqual(numbers.map((number) => [`<${number}@example.com>`]));
    });

    it('after its end, every mail is delayed; ending twice does no harm', async () => {
      await subject.mailer.close();
      await subject.mailer.close();
      expect(await subject.mailer.send(MAIL)).toEqual({ kind: 'delayed', reason: expect.stringMatching(/closed/) });
      expect(await subject.mails()).toEqual([]);
    });
  });
}
