import { createTransport } from 'nodemailer';
import type { Instant } from '#kernel';
import type { Mail } from '#mailing/mail';

/** Whom mails come from. */
export interface Sender {
  /** Empty: the address has no name. */
  readonly name: string;
  readonly address: string;
}

/** Makes the bytes of mails. */
const composer = createTransport({ streamTransport: true, buffer: true, newline: 'windows' });

/**
 * Makes the bytes of a mail (RFC 5322). All of it is ASCII, and lines are short, so every server can pass it on unchanged.
 * @param date its date
 */
export async function compose(mail: Mail, from: Sender, date: Instant): Promise<Buffer> {
  const { messageId, to, subject, html, text, unsubscribe } = mail;
  const { message } = await composer.sendMail({
    messageId,
    date: new Date(date),
    from: { ...from },
    // As an object it is one address, whatever it contains.
    to: { name: '', address: to },
    subject,
    text,
    html,
    // The texts hold words of partners: none of them names a file or URL to read.
    disableFileAccess: true,
    disableUrlAccess: true,
    ...(unsubscribe !== null && { headers: unsubscribeHeaders(unsubscribe) }),
  });
  if (!Buffer.isBuffer(message)) throw new Error('the composer must answer with the whole mail');
  return message;
}

/** RFC 8058: one POST to the address ends the mails, without a page and without a question. */
function unsubscribeHeaders(address: string): Readonly<Record<string, string>> {
  return { 'List-Unsubscribe': `<${address}>`, 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' };
}
