import rateLimit from '@fastify/rate-limit';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Time } from '#eventsourcing';
import { userTokenOf } from './call.js';
import { Refused } from './errors.js';
import { networkOf } from './networks.js';
import { storeOn } from './rate-limit-store.js';

/** At most this many requests in this many seconds. */
export interface RateBounds {
  readonly requests: number;
  readonly seconds: number;
}

type Count = (request: FastifyRequest) => ReturnType<ReturnType<FastifyInstance['createRateLimit']>>;

/** Counts requests, and refuses too many of them (ruling A8). */
export class RateLimit {
  private constructor(
    private readonly what: string,
    private readonly count: Count | undefined,
    private readonly named = new WeakMap<FastifyRequest, string>(),
  ) {}

  /** Counts requests by what `keyOf` says; without bounds it does nothing. */
  static ofRequests(
    server: FastifyInstance,
    bounds: RateBounds | undefined,
    time: Time,
    keyOf: (request: FastifyRequest) => string,
  ): Promise<RateLimit> {
    return RateLimit.#of({ server, bounds, time }, 'requests', keyOf);
  }

  /** Counts failed credentials per address; for IPv6, per network. */
  static ofAddresses(server: FastifyInstance, bounds: RateBounds | undefined, time: Time): Promise<RateLimit> {
    return RateLimit.#of({ server, bounds, time }, 'failed credentials', ({ ip }) => networkOf(ip));
  }

  /** Counts failed passwords per user name. */
  static ofNames(server: FastifyInstance, bounds: RateBounds | undefined, time: Time): Promise<RateLimit> {
    return RateLimit.#of({ server, bounds, time }, 'failed passwords', (_, name) => name);
  }

  /** Call it before routes are added. */
  static async #of(
    {
      server,
      bounds,
      time,
    }: { readonly server: FastifyInstance; readonly bounds: RateBounds | undefined; readonly time: Time },
    what: string,
    keyOf: (request: FastifyRequest, name: string) => string,
  ): Promise<RateLimit> {
    if (bounds === undefined) return new RateLimit(what, undefined);
    if (!server.hasDecorator('createRateLimit'))
      await server.register(rateLimit, { global: false, store: storeOn(time) });
    const named = new WeakMap<FastifyRequest, string>();
    const count = server.createRateLimit({
      max: bounds.requests,
      timeWindow: bounds.seconds * 1000,
      keyGenerator: (request) => keyOf(request, named.get(request) ?? ''),
    });
    return new RateLimit(what, count, named);
  }

  /**
   * Counts a request.
   * @param name the user name, for a limit per name
   * @throws Refused 429 with Retry-After if there were too many
   */
  async take(request: FastifyRequest, name?: string): Promise<void> {
    if (this.count === undefined) return;
    if (name !== undefined) this.named.set(request, name);
    const counted = await this.count(request);
    if (counted.isAllowed || !counted.isExceeded) return;
    const seconds = String(Math.max(1, counted.ttlInSeconds));
    throw new Refused(429, 'rate_limited', `too many ${this.what}; try again in ${seconds} s`, {
      'retry-after': seconds,
    });
  }
}

/** The share of a partner's requests that its users' tokens may use together, and that those of one user may (ruling I11). */
const TOKENS_SHARE = 1 / 2;
const USERS_SHARE = 1 / 10;

/**
 * Counts the requests of callers (rulings A8, I11): of a partner, whichever credential it uses; of its users' access tokens together,
 * and of one user's; without a valid credential, of an address (for IPv6, of a network).
 */
export class CallerLimit {
  private constructor(
    private readonly ofCaller: RateLimit,
    private readonly ofTokens: RateLimit,
    private readonly ofUser: RateLimit,
  ) {}

  static async on(server: FastifyInstance, bounds: RateBounds | undefined, time: Time): Promise<CallerLimit> {
    const share = (part: number): RateBounds | undefined =>
      bounds && { ...bounds, requests: Math.max(1, Math.floor(bounds.requests * part)) };
    return new CallerLimit(
      await RateLimit.ofRequests(server, bounds, time, ({ call: { caller }, ip }) =>
        caller.kind === 'partner' ? caller.id : `address ${networkOf(ip)}`,
      ),
      await RateLimit.ofRequests(server, share(TOKENS_SHARE), time, ({ call: { caller } }) =>
        caller.kind === 'partner' ? caller.id : '',
      ),
      await RateLimit.ofRequests(server, share(USERS_SHARE), time, ({ call }) => userTokenOf(call)?.user_id ?? ''),
    );
  }

  /**
   * Counts a request. One that is too many for its user, or for the tokens of its partner, uses up nothing of the larger shares.
   * @throws Refused 429 with Retry-After if there were too many
   */
  async take(request: FastifyRequest): Promise<void> {
    if (userTokenOf(request.call) !== undefined) {
      await this.ofUser.take(request);
      await this.ofTokens.take(request);
    }
    await this.ofCaller.take(request);
  }
}
