import { request as httpRequest } from 'node:http';
import { request as httpsRequest, type RequestOptions } from 'node:https';
import { join } from 'node:path';
import { readCertificates } from '#files';
import { type Instant, parsedJson } from '#kernel';
import { COMMAND_LINE } from '#kernel/bounds';
import type { Build } from '../build.js';
import type { Config } from '../config.js';
import type { EndingToken } from '../ends.js';
import type { Environment } from '../environment.js';
import { tokenIn } from '../first-start/token-file.js';
import type { Health } from '../health/service-health.js';
import { adminPlaceOf, adminReachOf } from '../admin-address.js';
import { reachOf } from '../reach.js';
import { bareUrl } from './without-secrets.js';

/** Where a service is asked, and with what. */
export interface AskedService {
  readonly url: string;
  /** The URL for people: without user, password and query. */
  readonly shown: string;
  /** undefined: it only says whether it is ready. */
  readonly token: string | undefined;
  /** Why there is no token; undefined if there is one. */
  readonly noToken: string | undefined;
  /** The certificate that it must show, in PEM; undefined: one that this machine trusts. */
  readonly certificate: string | undefined;
}

/** The details of the health of a service. */
export type Details = Omit<Health, 'ready'> & Build;

/** A projection, as the service tells it. */
export interface ToldProjection {
  readonly view: string;
  readonly generation: number | null;
  readonly state: string;
  readonly position: string;
  readonly lag_events: number | null;
}

/** What a service says of itself. */
export interface ServiceLook {
  /** Whether it is ready; undefined if what answers is no Holdfast. */
  readonly ready: boolean | undefined;
  /** undefined without a token that it knows. */
  readonly details: Details | undefined;
  /** Why there are no details; undefined if there are. */
  readonly noDetails: string | undefined;
  readonly projections: readonly ToldProjection[];
  /** The tokens of operators and auditors; undefined if it tells none. */
  readonly tokens: readonly EndingToken[] | undefined;
  /** The time by its own clock, in whole seconds, and by this one's, when it answered. */
  readonly clock: { readonly its: Instant; readonly ours: Instant } | undefined;
}

/** Options of the command line that say where the service is, and as whom it is asked. */
export interface Asking {
  readonly url?: string | undefined;
  readonly tokenFile?: string | undefined;
}

/** Where the service of these settings is asked. An address that was named wins. */
export function askedService(
  config: Config,
  environment: Environment,
  { url: named, tokenFile }: Asking,
): AskedService {
  const { host, port, tls, proxies, dataDir } = config;
  const admin = adminPlaceOf(config);
  const own = (
    admin === undefined
      ? reachOf({ host, port, tls: tls !== undefined, behindProxies: proxies.exist })
      : adminReachOf(admin, config)
  ).url;
  const other = named ?? environment['HOLDFAST_URL'];
  const certificate = other === undefined && tls !== undefined ? ownCertificate(tls.cert) : undefined;
  return {
    url: other ?? own,
    shown: bareUrl(other ?? own) ?? 'the address that was named',
    ...tokenFor(environment, tokenFile ?? join(dataDir, 'operator.token'), tokenFile),
    certificate,
  };
}

function tokenFor(
  environment: Environment,
  file: string,
  named: string | undefined,
): Pick<AskedService, 'token' | 'noToken'> {
  const given = environment['OPERATOR_TOKEN'];
  if (named === undefined && given !== undefined && given !== '') return { token: given.trim(), noToken: undefined };
  try {
    const token = tokenIn(file);
    return token === undefined ? { token, noToken: `${file} holds no token` } : { token, noToken: undefined };
  } catch (error) {
    return { token: undefined, noToken: (error as Error).message };
  }
}

/** The first certificate of a file, in PEM. It is trusted alone: no other that its issuer has signed. */
function ownCertificate(path: string): string | undefined {
  try {
    return readCertificates('TLS_CERT', path).certificate.toString();
  } catch {
    // The check of the certificate says what is wrong with it.
    return undefined;
  }
}

/**
 * Asks a service for its health and its projections.
 * @param now this machine's clock
 * @throws Error with the system's code if nobody answers
 */
export async function lookAtService(
  asked: AskedService,
  now: () => Instant,
  signal: AbortSignal,
): Promise<ServiceLook> {
  const first = await answerOf(asked, '/health/ready', asked.token, signal);
  const refused = first.status === 401 || first.status === 403;
  const health = refused ? await answerOf(asked, '/health/ready', undefined, signal) : first;
  const clock = health.date === undefined ? undefined : { its: health.date, ours: now() };
  const body = health.body as Partial<Details> & { readonly status?: string };
  const ready = body.status === 'success' ? true : body.status === 'error' ? false : undefined;
  if (refused || body.log === undefined) {
    const noDetails = refused ? 'it does not know the token' : (asked.noToken ?? PUBLIC_ALONE);
    return { ready, details: undefined, noDetails, projections: [], tokens: undefined, clock };
  }
  const { projections = [] } = (
    await answerOf(asked, '/operators/projections?per_page=1000', asked.token, signal).catch(() => ({ body: {} }))
  ).body as { readonly projections?: readonly ToldProjection[] };
  const { tokens: listed } = (
    await answerOf(asked, '/operators/tokens?per_page=1000', asked.token, signal).catch(() => ({ body: {} }))
  ).body as { readonly tokens?: readonly (Omit<EndingToken, 'expires_at'> & { readonly expires_at: string | null })[] };
  const tokens = listed?.map((each) => ({
    ...each,
    expires_at: each.expires_at === null ? null : Date.parse(each.expires_at),
  }));
  return { ready, details: body as Details, noDetails: undefined, projections, tokens, clock };
}

/** Why a service that takes the token shows nothing more. */
const PUBLIC_ALONE = 'it shows them at its ADMIN_HOST alone: name that address with --url, or set ADMIN_HOST';

interface Answer {
  readonly status: number;
  /** undefined if it has no date. */
  readonly date: Instant | undefined;
  readonly body: object;
}

function answerOf(
  { url, certificate }: AskedService,
  path: string,
  token: string | undefined,
  signal: AbortSignal,
): Promise<Answer> {
  const target = new URL(path, url);
  const options: RequestOptions = {
    signal,
    headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
    // At its own address on this machine, the certificate names another host.
    ...(certificate !== undefined && {
      ca: certificate,
      allowPartialTrustChain: true,
      checkServerIdentity: () => undefined,
    }),
  };
  return new Promise((resolve, reject) => {
    const request = (target.protocol === 'https:' ? httpsRequest : httpRequest)(target, options, (response) => {
      const pieces: Buffer[] = [];
      let size = 0;
      response.on('data', (piece: Buffer) => {
        size += piece.length;
        if (size > COMMAND_LINE.answer) response.destroy(new Error('its answer is too large'));
        else pieces.push(piece);
      });
      response.on('error', reject);
      response.on('end', () => {
        const found = parsedJson(Buffer.concat(pieces).toString());
        const body = typeof found === 'object' && found !== null ? found : {};
        const date = Date.parse(response.headers.date ?? '');
        resolve({ status: response.statusCode ?? 0, date: Number.isNaN(date) ? undefined : date, body });
      });
    });
    request.on('error', reject);
    request.end();
  });
}
