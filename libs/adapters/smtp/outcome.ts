import type { MailOutcome } from '#mailing/mail';
import { replyOf, type Hidden } from './reply.js';
import type { SmtpError } from './smtp-error.js';
import { nameOf, type SmtpServer } from './smtp-server.js';
import { troubleOf } from './trouble.js';

/** Codes of a server that wants another login, or one at all (RFC 4954): the settings are wrong, not the mail. */
const LOGIN = new Set([454, 530, 534, 535, 538]);

/** An outcome that is not `sent`, and what operators should know: something is wrong with the server, not with this mail. */
export interface Failure {
  readonly outcome: MailOutcome;
  readonly trouble: string | undefined;
}

/**
 * Why a mail was not sent.
 * @param begun whether the server has got any of the mail's bytes: from then on, a silence says nothing
 * @param hidden words that the server may repeat
 */
export function failureOf(error: SmtpError, server: SmtpServer, begun: boolean, hidden: Hidden): Failure {
  const { code, response, responseCode, permanent } = error;
  if (responseCode !== undefined) {
    const said = replyOf(response ?? String(responseCode), hidden);
    if (code === 'EAUTH' || LOGIN.has(responseCode))
      return wrong(`${nameOf(server)} does not accept the login in SMTP_URL: ${said}`);
    if (code === 'ETLS') return wrong(`${nameOf(server)} offers no TLS: ${said}`);
    const isOfMail = code === 'EENVELOPE' || code === 'EMESSAGE';
    if (!isOfMail) return wrong(`${nameOf(server)} takes no mails: ${said}`);
    const kind = permanent === true ? 'refused' : 'delayed';
    return { outcome: { kind, reason: `${nameOf(server)} says ${said}` }, trouble: undefined };
  }
  if (code === 'EENVELOPE' || code === 'EMESSAGE')
    return { outcome: { kind: 'refused', reason: `the mail cannot be sent to this address` }, trouble: undefined };
  const what = `${nameOf(server)} ${troubleOf(error)}`;
  if (!begun) return wrong(what);
  return { outcome: { kind: 'unknown', reason: `${what}, after the mail was handed over` }, trouble: what };
}

const wrong = (reason: string): Failure => ({ outcome: { kind: 'delayed', reason }, trouble: reason });
