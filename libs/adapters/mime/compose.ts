import { createTransport } from 'nodemailer';
import type { Instant } from '#kernel';
import type { Mail } from '#mailing/mail';

/** Whom mails come from. */
export interface Sender {
  /** Empty: the address has no name. */
  readonly name: string;
  readonly address: string;
  /** Signs every mail; undefined: mails are not signed. */
  readonly dkim?: DkimKey | undefined;
}

/** A key whose public half is in the DNS: receivers see that a mail comes from the domain, unchanged (RFC 6376). */
export interface DkimKey {
  readonly domain: string;
  readonly selector: string;
  /** An RSA key in PEM. */
  readonly key: string;
}

/**
 * The headers that are signed. One-click unsubscription counts only if both of its headers are (RFC 8058); the library's own list
 * lacks the second.
 */
const SIGNED = [
  ...['From', 'To', 'Subject', 'Date', 'Message-ID', 'MIME-Version', 'Content-Type', 'Content-Transfer-Encoding'],
  ...['List-Unsubscribe', 'List-Unsubscribe-Post'],
].join(':');

/** Only makes the bytes of mails. */
const composer = createTransport({ streamTransport: true, buffer: true, newline: 'windows' });

/**
 * Makes the bytes of a mail (RFC 5322), and signs them. All are ASCII, and lines are short, so every server can pass them on
 * unchanged.
 * @param date its date
 */
export async function compose(mail: Mail, { dkim, ...from }: Sender, date: Instant): Promise<Buffer> {
  const { messageId, to, subject, html, text, unsubscribe } = mail;
  const { message } = await composer.sendMail({
    messageId,
    date: new Date(date),
    from,
    // As an object it is one address, whatever it contains.
    to: { name: '', address: to },
    subject,
    text,
    html,
    // The texts hold words of partners: none of them names a file or URL to read.
    disableFileAccess: true,
    disableUrlAccess: true,
    xMailer: false,
    ...(unsubscribe !== null && { headers: unsubscribeHeaders(unsubscribe) }),
    ...(dkim !== undefined && {
      dkim: { domainName: dkim.domain, keySelector: dkim.selector, privateKey: dkim.key, headerFieldNames: SIGNED },
    }),
  });
  if (!Buffer.isBuffer(message)) throw new Error('the composer must answer with the whole mail');
  // The library leaves the signature out if it cannot make it.
  if (dkim !== undefined && !message.subarray(0, 16).toString().startsWith('DKIM-Signature:'))
    throw new Error('a mail could not be signed: check DKIM_KEY');
  return message;
}

/** RFC 8058: one POST to the address ends the mails, without a page and without a question. */
function unsubscribeHeaders(address: string): Readonly<Record<string, string>> {
  return { 'List-Unsubscribe': `<${address}>`, 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' };
}
