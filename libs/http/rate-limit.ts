import rateLimit from '@fastify/rate-limit';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Time } from '#eventsourcing';
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

  /** Counts requests per credential; without a valid one, per address (for IPv6, per network). Without bounds it does nothing. */
  static ofCallers(server: FastifyInstance, bounds: RateBounds | undefined, time: Time): Promise<RateLimit> {
    return RateLimit.#of({ server, bounds, time }, 'requests', ({ call, ip }) =>
      call.caller.kind === 'nobody' ? `address ${networkOf(ip)}` : call.caller.credential,
    );
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
