import rateLimit from '@fastify/rate-limit';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Refused } from './errors.js';
import { networkOf } from './networks.js';

/** So many requests in so many seconds. */
export interface RateBounds {
  readonly requests: number;
  readonly seconds: number;
}

/** How many callers are counted at once; beyond that, those that were counted longest ago start anew. */
const CALLERS = 100_000;

type Count = (request: FastifyRequest) => ReturnType<ReturnType<FastifyInstance['createRateLimit']>>;

/** Counts requests, and refuses those that are too many (ruling A8). */
export class RateLimit {
  private constructor(
    private readonly what: string,
    private readonly count: Count | undefined,
    private readonly named = new WeakMap<FastifyRequest, string>(),
  ) {}

  /** Counts requests per credential, and those without a valid one per address (of IPv6, per network). Without bounds nothing is counted. */
  static ofCallers(server: FastifyInstance, bounds: RateBounds | undefined): Promise<RateLimit> {
    return RateLimit.#of(server, bounds, 'requests', ({ call, ip }) =>
      call.caller.kind === 'nobody' ? `address ${networkOf(ip)}` : call.caller.credential,
    );
  }

  /** Counts failed credentials per address; of IPv6, per network. */
  static ofAddresses(server: FastifyInstance, bounds: RateBounds | undefined): Promise<RateLimit> {
    return RateLimit.#of(server, bounds, 'failed credentials', ({ ip }) => networkOf(ip));
  }

  /** Counts failed passwords per name. */
  static ofNames(server: FastifyInstance, bounds: RateBounds | undefined): Promise<RateLimit> {
    return RateLimit.#of(server, bounds, 'failed passwords', (_, name) => name);
  }

  /** To be called before routes are added. */
  static async #of(
    server: FastifyInstance,
    bounds: RateBounds | undefined,
    what: string,
    keyOf: (request: FastifyRequest, name: string) => string,
  ): Promise<RateLimit> {
    if (bounds === undefined) return new RateLimit(what, undefined);
    if (!server.hasDecorator('createRateLimit')) await server.register(rateLimit, { global: false, cache: CALLERS });
    const named = new WeakMap<FastifyRequest, string>();
    const count = server.createRateLimit({
      max: bounds.requests,
      timeWindow: bounds.seconds * 1000,
      keyGenerator: (request) => keyOf(request, named.get(request) ?? ''),
    });
    return new RateLimit(what, count, named);
  }

  /**
   * @param name what is counted, where that is a name
   * @throws Refused 429 with Retry-After when it was too often
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
