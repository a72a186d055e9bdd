import type { SmtpError } from './smtp-error.js';

/** Codes of Node and of the library, with messages and advice for operators. The first match counts. */
const CAUSES: readonly (readonly [RegExp, string])[] = [
  [/EABORT/, 'did not answer in time'],
  [/CERT_HAS_EXPIRED/, 'has a certificate that has expired'],
  [/CERT_NOT_YET_VALID/, 'has a certificate that is not valid yet: check the clocks'],
  [/ALTNAME/, 'has a certificate for another name: SMTP_URL must have a host that the certificate names'],
  [
    /SELF_SIGNED|UNABLE_TO_VERIFY|UNABLE_TO_GET_ISSUER/,
    'has a certificate that nobody signed whom this machine trusts: set tlsCAFile in SMTP_URL to the file of its authority',
  ],
  [/CERT|certificate/i, 'has a certificate that is not trusted'],
  [
    /WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|UNSUPPORTED_PROTOCOL|ERR_SSL|EPROTO\b/,
    'does not speak TLS there, or none that is safe: smtps:// is for ports that begin with TLS, smtp:// for others',
  ],
  [/ENOTFOUND|EAI_AGAIN|EDNS/, 'has a name that cannot be resolved: check the host, and that DNS answers'],
  [/ECONNREFUSED/, 'cannot be reached, because nothing listens there: check that it runs, and host and port'],
  [/EHOSTUNREACH|ENETUNREACH/, 'cannot be reached: check network and firewall'],
  [/ETLS/, 'closed the connection instead of changing to TLS'],
  [/EAUTH/, 'offers no login that Holdfast knows'],
  [/ETIMEDOUT/, 'did not answer in time: check that it is not stopped, and the firewall'],
  [/ECONNECTION|ECONNRESET|EPIPE|ESOCKET/, 'closed the connection'],
  [/EPROTOCOL/, 'does not answer like a mail server'],
];

/** What went wrong with the server, as a text behind its name. It names the system's code, but no address and no secret. */
export function troubleOf({ code = '', originalCode = '' }: SmtpError): string {
  const named = originalCode === '' ? code : originalCode;
  const words = CAUSES.find(([cause]) => cause.test(originalCode) || cause.test(code))?.[1] ?? 'cannot be used';
  return named === '' ? words : `${words} (${named})`;
}
