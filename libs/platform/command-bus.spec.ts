import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { CommandBus } from '@nestjs/cqrs';
import type { CommandContext } from '#eventsourcing';
import { DomainError } from '#kernel';
import { openShop, type Shop } from '../../test/support/shop.js';
import { lookTwiceIfResumed } from './command-bus.js';

/** A bus whose only command is handled so. */
function busOf(handle: (context: CommandContext) => Promise<unknown>): (context: CommandContext) => Promise<unknown> {
  const bus = { execute: ({ context }: { context: CommandContext }) => handle(context) } as unknown as CommandBus;
  lookTwiceIfResumed(bus);
  return (context) => bus.execute({ context } as never);
}

const CONTEXT = { commandId: 'c1', correlation: 'r1', actor: 'partner:acme' };

describe('a command that runs again under its id', () => {
  let shop: Shop;
  let coupon: string;
  beforeEach(async () => {
    shop = await openShop();
    const { id } = await shop.reserve(1);
    coupon = (await shop.claim(id)).coupons[0]?.coupon_id ?? '';
  });
  afterEach(() => shop.close());

  it('A11: gets the answer of its first try, whose append arrives after it has looked for it', async () => {
    const context = shop.context();
    const redeem = (each: CommandContext) => shop.redeem(coupon, undefined, { context: each });
    const [first, again] = await Promise.all([redeem(context), busOf(redeem)({ ...context, resumed: true })]);
    expect(again).toEqual(first);
    expect(await shop.stored('coupon', coupon)).toHaveLength(2);
  });

  it('A11: looks twice, and no more', async () => {
    let tries = 0;
    const refuses = () => {
      tries += 1;
      return Promise.reject(new DomainError('redeem_failed', `try ${tries}`));
    };
    await expect(busOf(refuses)({ ...CONTEXT, resumed: true })).rejects.toThrow('try 2');
    await expect(busOf(refuses)(CONTEXT)).rejects.toThrow('try 3');
    expect(tries).toBe(3);
  });

  it('looks once after another failure, which says nothing about the log', async () => {
    let tries = 0;
    const fails = () => Promise.reject(new Error(`try ${(tries += 1)}`));
    await expect(busOf(fails)({ ...CONTEXT, resumed: true })).rejects.toThrow('try 1');
  });
});
