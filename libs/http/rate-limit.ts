import rateLimit from '@fastify/rate-limit';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Refused } from './errors.js';

/** So many requests in so many seconds. */
export interface RateBounds {
  readonly requests: number;
  readonly seconds: number;
}

/** How many callers are counted at once; beyond that, those that were counted longest ago start anew. */
const CALLERS = 100_000;

/** Counts requests per credential, and those without a valid one per address (ruling A8). */
export class RateLimit {
  private constructor(private readonly count: ReturnType<FastifyInstance['createRateLimit']> | undefined) {}

  /** Without bounds nothing is counted. To be called before routes are added. */
  static async of(server: FastifyInstance, bounds: RateBounds | undefined): Promise<RateLimit> {
    if (bounds === undefined) return new RateLimit(undefined);
    await server.register(rateLimit, {
      global: false,
      cache: CALLERS,
      max: bounds.requests,
      timeWindow: bounds.seconds * 1000,
      keyGenerator: ({ call, ip }) => (call.caller.kind === 'nobody' ? `address ${ip}` : call.caller.credential),
    });
    return new RateLimit(server.createRateLimit());
  }

  /** @throws Refused 429 with Retry-After when the caller has asked too often */
  async take(request: FastifyRequest): Promise<void> {
    const counted = await this.count?.(request);
    if (counted === undefined || counted.isAllowed || !counted.isExceeded) return;
    const seconds = String(Math.max(1, counted.ttlInSeconds));
    throw new Refused(429, 'rate_limited', `too many requests; try again in ${seconds} s`, { 'retry-after': seconds });
  }
}
