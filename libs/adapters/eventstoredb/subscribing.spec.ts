import { EventEmitter } from 'node:events';
import type { ReadResp } from '@eventstore/db-client/generated/streams_pb.js';
import { describe, expect, it, jest } from '@jest/globals';
import { thisMachine } from '#adapters/machine';
import { confirmation } from '../../../test/sim/shared/eventstoredb/messages.js';
import type { Leader } from './leader.js';
import type { ServerNode } from './server-node.js';
import { subscribeTo } from './subscribing.js';

/** A node whose subscriptions say only what a test lets them say. */
function subscribed() {
  const call = Object.assign(new EventEmitter(), { cancel: jest.fn(), pause: jest.fn(), resume: jest.fn() });
  const node = { ending: new AbortController().signal, read: () => call } as unknown as ServerNode;
  const leader = { node: () => Promise.resolve(node), lost: jest.fn() } as unknown as Leader;
  const dropped: string[] = [];
  const subscriber = { event: () => undefined, caughtUp: () => undefined, dropped: (why: string) => dropped.push(why) };
  const names = { after: 0n, names: ['deal-'] };
  const subscription = subscribeTo(leader, { verify: () => Promise.resolve() }, names, subscriber, thisMachine.time);
  return { call, dropped, subscription, says: (answer: ReadResp) => call.emit('data', answer) };
}

describe('a subscription', () => {
  // Its beginning was lost: views once stood still for ever (seed 140056 of the simulator).
  it('that the server does not confirm is dropped, so that it begins again', async () => {
    jest.useFakeTimers();
    const { call, dropped } = subscribed();
    await jest.advanceTimersByTimeAsync(9_900);
    expect(dropped).toEqual([]);
    await jest.advanceTimersByTimeAsync(200);
    expect(dropped).toEqual(['broke']);
    expect(call.cancel).toHaveBeenCalledTimes(1);
    jest.useRealTimers();
  });

  it('that the server confirms may stay silent', async () => {
    jest.useFakeTimers();
    const { dropped, says, subscription } = subscribed();
    await jest.advanceTimersByTimeAsync(100);
    says(confirmation());
    await jest.advanceTimersByTimeAsync(600_000);
    expect(dropped).toEqual([]);
    subscription.leave();
    jest.useRealTimers();
  });
});
