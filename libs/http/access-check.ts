import type { FastifyRequest } from 'fastify';
import type { WriteMeter } from '#eventsourcing';
import type { Access, Authenticator } from './access.js';
import { type BrowserSessions, checkOwnPage, sessionSecretOf } from './browser-session.js';
import { BODY_LIMITS, HEADERS } from '#kernel/bounds';
import { actorOf, type Caller } from './call.js';
import { Refused } from './errors.js';
import type { Credentials } from './credential-parameters.js';
import { credentialsInForm } from './credential-scan.js';
import { isMonitoringPath, queryOf } from './paths.js';
import type { CallerLimit, RateLimit } from './rate-limit.js';
import type { RouteBook, RouteFacts } from './route-book.js';
import { routeOf } from './route-of.js';
import { checkKey, checkToken } from './token-use.js';
import type { WriteLimit } from './write-limit.js';

/** How often credentials may fail. Beyond that, the answer is 429 instead of 401. */
export interface FailureLimits {
  /** Failures per address. */
  readonly ofAddress: RateLimit;
  /** Failures per v3 user name, from all addresses. */
  readonly ofName: RateLimit;
}

export interface AccessCheckOptions {
  readonly routes: RouteBook;
  readonly authenticator: Authenticator;
  /** How often partners and unknown callers may call (rulings A8, I11). */
  readonly limit: CallerLimit;
  /** How much partners may write (ruling I16). */
  readonly writeLimit: WriteLimit;
  readonly failures: FailureLimits;
  /** Sessions of browsers; undefined: none counts. */
  readonly sessions?: BrowserSessions;
}

/** Methods that change nothing. Auditors may use them on operators' calls. */
const READS = ['GET', 'HEAD'];

type PartnerCaller = Extract<Caller, { kind: 'partner' }>;

/** What the head of a request says about its caller, while the body may say more. */
interface Head {
  readonly sent: Credentials;
  readonly caller: PartnerCaller | undefined;
}

/**
 * Authenticates and authorizes calls (rulings A4, A7, G1). A missing, wrong or revoked credential is 401; a role or an access
 * token without the right is 403. It decides from the head of a request, before the query or the body is parsed. A credential
 * in a small body counts too (ruling H5), and wins over the head (ruling A2). An access token wins over a key, because it is
 * the smaller right. A caller without a credential costs little: the limits count here, and nothing that they sent is parsed. A
 * valid credential is never refused because others failed.
 */
export class AccessCheck {
  /** Requests whose body may hold a credential. */
  readonly #waiting = new WeakMap<FastifyRequest, Head>();
  /** The credentials that were found in a body. */
  readonly #inBody = new WeakMap<FastifyRequest, Credentials>();

  constructor(private readonly options: AccessCheckOptions) {}

  /** Decides from the head. Call it for each request to a controller's route. */
  async checkHead(request: FastifyRequest): Promise<void> {
    const access = this.factsOf(request)?.access;
    switch (access) {
      case 'public':
        if (!isMonitoringPath(request.url)) await this.options.limit.take(request);
        return;
      case 'monitor':
        // Beside an admin address, the public one shows nobody more: it looks at no token.
        if (request.call.at !== 'public') await this.#watch(request, false);
        return;
      case 'watcher':
        await this.#watch(request, request.call.at !== 'admin');
        return;
      case 'partner': {
        const sent = credentialsOf(request);
        const caller = await this.#partner(sent);
        if (mayHoldKey(request)) this.#waiting.set(request, { sent, caller });
        else {
          const words = hasBody(request) ? NO_KEY_READ : NO_KEY;
          await this.#admit(request, caller ?? (await this.#refuse(request, words, sent)));
        }
        return;
      }
      case 'partner-v3':
        await this.#admit(request, await this.#partnerV3(request));
        return;
      default:
        await this.#admit(request, await this.#operator(request, access));
    }
  }

  /** The facts of a request's route. */
  factsOf(request: FastifyRequest): RouteFacts | undefined {
    return this.options.routes.factsOf(request.method, routeOf(request).url);
  }

  /** Whether the caller is still unknown until the body is read. */
  isWaiting(request: FastifyRequest): boolean {
    return this.#waiting.has(request);
  }

  /**
   * Decides with the body, if `checkHead` could not decide.
   * @param found the credentials in the body; none if it was not searched
   */
  async checkBody(request: FastifyRequest, found: Credentials): Promise<void> {
    const head = this.#waiting.get(request);
    if (head === undefined) return;
    this.#waiting.delete(request);
    const sent = { ...head.sent, ...found };
    const isNamed = Object.keys(found).length > 0;
    if (isNamed) this.#inBody.set(request, found);
    const caller = isNamed ? await this.#partner(sent) : head.caller;
    await this.#admit(request, caller ?? (await this.#refuse(request, NO_KEY, sent)));
  }

  /** Whether a request has sent an access token, right or wrong, and neither a key nor a password. */
  hasTokenAlone(request: FastifyRequest): boolean {
    const sent = { ...credentialsOf(request), ...this.#inBody.get(request) };
    const hasPassword = /^Basic\b/i.test(request.headers.authorization ?? '');
    return sent.access_token !== undefined && sent.api_key === undefined && !hasPassword;
  }

  /**
   * The operator or auditor whose browser sends a request (rule G13.2); undefined without a session. Partners’ calls never ask.
   * @throws Refused if it is not sent by a page of the service
   */
  async ofSession(request: FastifyRequest): Promise<Extract<Caller, { kind: 'operator' }> | undefined> {
    const { sessions } = this.options;
    const secret = sessions === undefined ? undefined : sessionSecretOf(request);
    if (sessions === undefined || secret === undefined) return undefined;
    checkOwnPage(request, sessions);
    return sessions.find(secret);
  }

  /** Counts a failed credential, then throws the refusal. Routes that authenticate by themselves use it too. */
  async fail(request: FastifyRequest, refusal: Refused, name?: string): Promise<never> {
    const { limit, failures } = this.options;
    await limit.take(request);
    await failures.ofAddress.take(request);
    if (name !== undefined) await failures.ofName.take(request, name);
    throw refusal;
  }

  async #admit(request: FastifyRequest, caller: Exclude<Caller, { kind: 'nobody' }>): Promise<void> {
    const { call } = request;
    call.caller = caller;
    if (caller.kind !== 'operator') await this.options.limit.take(request);
    let meter: WriteMeter | undefined;
    if (caller.kind === 'partner') {
      this.#authorize(request, caller);
      if (!READS.includes(request.method))
        meter = await this.options.writeLimit.beginOrWait(caller.id, this.#bytesOf(request));
    }
    call.command = { ...call.command, actor: actorOf(caller), meter };
  }

  /** The bytes of the body that the service will read; at most, if the head does not say: it may hold as many until it knows. */
  #bytesOf(request: FastifyRequest): number {
    const { bodyLimit = BODY_LIMITS.usual } = this.factsOf(request) ?? {};
    if (request.headers['transfer-encoding'] !== undefined) return bodyLimit;
    const length = lengthOf(request);
    return length > bodyLimit ? 0 : length;
  }

  /** @throws Refused 403 if the partner is suspended (ruling I10), or if a token or a restricted key does not allow the call */
  #authorize(request: FastifyRequest, { suspended, token, restricted }: PartnerCaller): void {
    if (suspended === true) throw new Refused(403, 'auth_failed', 'suspended: ask the operator');
    const needed = READS.includes(request.method) ? 'read' : 'write';
    if (token !== undefined) checkToken(token, this.factsOf(request)?.tokens, needed);
    else if (restricted !== undefined) checkKey(restricted, this.factsOf(request)?.tokens, needed);
  }

  /** @param sent what the caller sent */
  #refuse(request: FastifyRequest, words: string, sent: Credentials): Promise<never> {
    return this.fail(request, new Refused(401, 'auth_failed', words, {}, detailOf(request, sent)));
  }

  async #partner({ api_key: key, access_token: token }: Credentials): Promise<PartnerCaller | undefined> {
    const credential = token ?? key;
    if (credential === undefined || credential === '' || credential.length > HEADERS['X-Api-Key']) return undefined;
    const { authenticator } = this.options;
    return token === undefined ? authenticator.partner(credential) : authenticator.userToken(credential);
  }

  async #partnerV3(request: FastifyRequest): Promise<PartnerCaller> {
    const { authorization = '' } = request.headers;
    const isSound = authorization.length <= HEADERS.Authorization;
    const sent = isSound ? (/^Basic ([\w+/=-]+)$/i.exec(authorization)?.[1] ?? '') : '';
    // A user name has no colon; a password may.
    const [, username, password] = /^([^:]*):([^]*)$/.exec(Buffer.from(sent, 'base64').toString()) ?? [];
    if (username !== undefined && password !== undefined) {
      const caller = await this.options.authenticator.partnerV3(username, password);
      if (caller !== undefined) return caller;
    }
    const words = 'send a valid user name and password by HTTP Basic';
    const challenge = { 'www-authenticate': 'Basic realm="Holdfast"' };
    return this.fail(request, new Refused(401, 'auth_failed', words, challenge, V3_CREDENTIAL), username);
  }

  /** Lets operators and auditors in. @param isNeeded false: everybody else, too, who sends no token */
  async #watch(request: FastifyRequest, isNeeded: boolean): Promise<void> {
    const token = bearerOf(request);
    const caller = await (token === undefined ? this.ofSession(request) : this.options.authenticator.monitor(token));
    if (caller !== undefined) {
      await this.#admit(request, caller);
      return;
    }
    if (token === undefined && !isNeeded) return;
    const words = this.factsOf(request)?.access === 'monitor' ? ANY_OR_NONE : A_TOKEN;
    await this.fail(request, new Refused(401, 'auth_failed', words, { 'www-authenticate': 'Bearer' }));
  }

  async #operator(request: FastifyRequest, access: Access | undefined): Promise<Extract<Caller, { kind: 'operator' }>> {
    const mayRead = access === 'auditor' || (access === 'operator' && READS.includes(request.method));
    const token = bearerOf(request);
    const caller = await (token === undefined ? this.ofSession(request) : this.options.authenticator.operator(token));
    if (caller === undefined) {
      const challenge = { 'www-authenticate': 'Bearer' };
      return this.fail(
        request,
        new Refused(401, 'auth_failed', A_TOKEN, challenge, mayRead ? FOR_AUDITORS : FOR_OPERATORS),
      );
    }
    if (caller.role !== 'operator' && !mayRead) {
      throw new Refused(403, 'auth_failed', 'this call is for operators; your token is an auditor’s');
    }
    return caller;
  }
}

const ANY_OR_NONE = 'this token is unknown: send an operator’s or auditor’s, or none';
const A_TOKEN = 'send a valid token as Authorization: Bearer <token>';
const NO_KEY = 'send a valid api_key, or the header X-Api-Key';
const NO_KEY_READ = `${NO_KEY}; an api_key in a body is read as JSON or a form, with its content-type, up to ${BODY_LIMITS.usual / 1024} KiB`;

const UNKNOWN_KEY = 'the key that came with this call is unknown or revoked: an operator issues keys';
const UNKNOWN_TOKEN =
  'the access token that came with this call is unknown or has expired; tokens of operators and auditors do not count here';
const OTHER_CREDENTIAL =
  'this call takes the partner’s api_key or a user’s access token; only /api/v3 takes a user name and password';
const V3_CREDENTIAL =
  'calls under /api/v3 take the partner’s user name and v3 password, not an api_key: an operator issues both with the key, and can issue a new password';
const FOR_OPERATORS = 'this call is for operators: a partner’s credential does not count here';
const FOR_AUDITORS = 'this call is for auditors and operators: a partner’s credential does not count here';

/** Explains to a caller why their credentials do not count. */
function detailOf({ headers }: FastifyRequest, { api_key: key, access_token: token }: Credentials): string | undefined {
  if (token !== undefined) return UNKNOWN_TOKEN;
  if (key !== undefined && key !== '') return UNKNOWN_KEY;
  return headers.authorization === undefined ? undefined : OTHER_CREDENTIAL;
}

/** The credentials in the head of a request: the query wins over headers. */
function credentialsOf(request: FastifyRequest): Credentials {
  const query = queryOf(request.url);
  const key = request.headers['x-api-key'];
  const token = bearerOf(request);
  return {
    ...(typeof key === 'string' && { api_key: key }),
    ...(token !== undefined && { access_token: token }),
    ...(query === '' ? undefined : credentialsInForm(Buffer.from(query, 'latin1'))),
  };
}

/** The token in `Authorization: Bearer`; undefined for another scheme and for a value that is too long. */
function bearerOf({ headers: { authorization = '' } }: FastifyRequest): string | undefined {
  return authorization.length <= HEADERS.Authorization ? /^Bearer (\S+)$/i.exec(authorization)?.[1] : undefined;
}

/** Whether a body is compressed or encoded otherwise: the service reads no such body. */
export function isEncoded({ headers }: FastifyRequest): boolean {
  return !/^(identity)?$/i.test(headers['content-encoding'] ?? '');
}

const TAKES_BODY = new Set(['GET', 'POST', 'PUT', 'DELETE', 'PATCH']);
const PARAMETERS = /^application\/(json|x-www-form-urlencoded)\s*(;|$)/i;

/** Whether there is a body that the service reads before it knows the caller. */
function mayHoldKey(request: FastifyRequest): boolean {
  const { 'content-type': type = '' } = request.headers;
  return hasBody(request) && !isEncoded(request) && PARAMETERS.test(type) && lengthOf(request) <= BODY_LIMITS.usual;
}

/** The bytes of the body, as the head says; 0 if it does not. */
function lengthOf({ headers }: FastifyRequest): number {
  return Number(headers['content-length'] ?? 0);
}

function hasBody({ method, headers }: FastifyRequest): boolean {
  if (!TAKES_BODY.has(method)) return false;
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}
