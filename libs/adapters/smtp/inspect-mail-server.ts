import { createTransport } from 'nodemailer';
import { failureOf } from './outcome.js';
import type { SmtpError } from './smtp-error.js';
import { settingsOf } from './smtp-mailer.js';
import type { SmtpServer } from './smtp-server.js';

/**
 * Connects to a mail server and logs in, as for a mail, and sends none.
 * @param within how long each answer may take, in milliseconds
 * @returns what is wrong with it, for people; undefined for nothing
 */
export async function inspectMailServer(server: SmtpServer, within: number): Promise<string | undefined> {
  const transport = createTransport(settingsOf(server, { connection: within, reply: within, farewell: 100 }));
  const { login } = server;
  try {
    await transport.verify();
    return undefined;
  } catch (error) {
    const hidden = login === undefined ? [] : [login.user, login.password];
    return failureOf(error as SmtpError, server, false, hidden).trouble ?? 'it takes no mails';
  } finally {
    transport.close();
  }
}
