import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { thisMachine } from '#adapters/machine';
import { AppendOutcomeUnknown, NO_STREAM } from '#eventsourcing';
import { numbered } from '../../../test/support/numbered.js';
import { VirtualTime } from '../../../test/support/virtual-time.js';
import { Appender } from './appender.js';
import type { AppendAnswer } from './server.js';

const written: AppendAnswer = { kind: 'written', revision: 0, position: 1n };

/** A server whose answers the test gives; it keeps the promise that the client would hold. */
class Silent {
  readonly calls: PromiseWithResolvers<AppendAnswer>[] = [];
  append(): Promise<AppendAnswer> {
    const call = Promise.withResolvers<AppendAnswer>();
    this.calls.push(call);
    return call.promise;
  }
}

describe('an append without an answer', () => {
  const append = numbered('deal-1', NO_STREAM, 1);

  it('has an unknown outcome after a while', async () => {
    await expect(new Appender(new Silent(), 20).append(append)).rejects.toThrow(AppendOutcomeUnknown);
  });

  // EventStoreDB drops the second of two copies under way; its caller would learn nothing until a deadline.
  it('is not sent again while its promise is pending, and a repeat is also unknown', async () => {
    const server = new Silent();
    const time = new VirtualTime();
    const appender = new Appender(server, 500, { ...thisMachine, time });
    for (const _ of ['first', 'repeat']) {
      const unknown = expect(appender.append(append)).rejects.toThrow(AppendOutcomeUnknown);
      await time.pass(500);
      await unknown;
    }
    expect(server.calls).toHaveLength(1);
    const repeats = [appender.append(append), appender.append(append)];
    server.calls[0]?.reject(new Error('read ECONNRESET'));
    await pause(5);
    expect(server.calls).toHaveLength(2);
    server.calls[1]?.resolve(written);
    await pause(5);
    expect(server.calls).toHaveLength(3);
    server.calls[2]?.resolve(written);
    expect(await Promise.all(repeats)).toEqual([written, written]);
  });

  it('delays no other append', async () => {
    const server = new Silent();
    const appender = new Appender(server, 60_000);
    void appender.append(append).catch(() => undefined);
    const other = appender.append(numbered('deal-1', NO_STREAM, 1));
    await pause(0);
    server.calls[1]?.resolve(written);
    expect(await other).toEqual(written);
    server.calls[0]?.resolve(written);
  });

  it.each([
    ['a raw gRPC error', Object.assign(new Error('14 UNAVAILABLE'), { code: 14 })],
    ['an error without words', new Error('')],
    ['a defect of the client', new TypeError('undefined is not iterable')],
    ['no error at all', undefined],
  ])('has an unknown outcome with %s', async (_, error) => {
    const server = new Silent();
    const outcome = new Appender(server, 60_000).append(append);
    const rejected = expect(outcome).rejects.toThrow(AppendOutcomeUnknown);
    await pause(0);
    server.calls[0]?.reject(error);
    await rejected;
  });
});
