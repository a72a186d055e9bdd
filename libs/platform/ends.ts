import { readCertificates } from '#files';
import { DAY, type Instant, isoTime } from '#kernel';
import type { Config } from './config.js';

/** A start and the doctor warn so long before something ends, in milliseconds. */
const SOON = 14 * DAY;

/** Something that ends by itself. */
export interface End {
  /** As the subject of a sentence. */
  readonly what: string;
  readonly at: Instant;
  readonly todo: string;
}

/** A token, as far as its end is concerned. */
export interface EndingToken {
  readonly name: string;
  readonly role: string;
  /** null: it has no end. */
  readonly expires_at: Instant | null;
  readonly revoked: boolean;
}

/** What ends within 14 days, or has ended in the last 14: whoever has not noticed by then does not need it. */
export function endingSoon(ends: readonly End[], now: Instant): readonly End[] {
  return ends.filter(({ at }) => Math.abs(at - now) <= SOON);
}

/** The words for people. */
export function endInWords({ what, at }: End, now: Instant): string {
  return `${what} ${at <= now ? 'has ended' : 'ends'} at ${isoTime(at)}`;
}

/** The ends of tokens of operators and auditors. */
export function endsOfTokens(tokens: readonly EndingToken[]): readonly End[] {
  return tokens.flatMap(({ name, role, expires_at: at, revoked }) =>
    at === null || revoked
      ? []
      : [
          {
            what: `the token ${name}`,
            at,
            todo: `If somebody still needs it, issue another one as soon as it has ended or was revoked: holdfast tokens issue --name "${name}" --role ${role}.`,
          },
        ],
  );
}

/** When issuing access tokens will be removed. */
export function endOfAccessTokens({ accessTokensSunset: day }: Pick<Config, 'accessTokensSunset'>): End {
  return {
    what: 'issuing access tokens (ACCESS_TOKENS_SUNSET)',
    at: Date.parse(day),
    todo: 'See whether partners still issue some (holdfast access-tokens list); set a later day, or tell them.',
  };
}

/** The end of the certificate; none if there is none, or it cannot be read. */
export function endsOfCertificate({ tls }: Pick<Config, 'tls'>): readonly End[] {
  if (tls === undefined) return [];
  try {
    const { certificate } = readCertificates('TLS_CERT', tls.cert);
    const todo = 'Renew it, and write the new files to TLS_CERT and TLS_KEY.';
    return [{ what: 'the certificate of TLS_CERT', at: certificate.validToDate.getTime(), todo }];
  } catch {
    return [];
  }
}
