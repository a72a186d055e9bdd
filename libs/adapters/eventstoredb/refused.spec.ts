import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { EventStoreDbLog, ServerConnection } from '#adapters/eventstoredb';
import { AppendNotTaken, AppendOutcomeUnknown, AppendRefused, NO_STREAM } from '#eventsourcing';
import type { DoubleOptions } from '../../../test/support/eventstoredb/options.js';
import { EventStoreDbDouble } from '../../../test/support/eventstoredb/server.js';
import { numbered } from '../../../test/support/numbered.js';

describe('an append that EventStoreDB does not carry out', () => {
  let double: EventStoreDbDouble;
  let log: EventStoreDbLog;
  beforeEach(async () => {
    double = await EventStoreDbDouble.start({ step: 100 });
    log = await EventStoreDbLog.open({ url: double.url, prefix: 'shop_' });
  });
  afterEach(async () => {
    await log.close();
    double.close();
  });

  const set = (options: DoubleOptions): void => {
    double.options = { step: 100, ...options };
  };
  const large = (stream: string, characters = 5_000) => {
    const { events, ...append } = numbered(stream, NO_STREAM, 1);
    return { ...append, events: events.map((event) => ({ ...event, data: { filling: 'x'.repeat(characters) } })) };
  };
  const failureOf = (append: Promise<unknown>): Promise<unknown> =>
    append.then(
      () => undefined,
      (error: unknown) => error,
    );

  it.each<[string, DoubleOptions, RegExp]>([
    ['its user has no right', { deniesStreams: 'shop_deal-' }, /write to the stream shop_deal-1: allow that/],
    ['the user has no right at all', { denies: 'appends' }, /write to the stream shop_deal-1: allow that/],
    [
      'it is too large',
      { maxAppendSize: 4_000 },
      /at most 4000 bytes.* shop_deal-1: raise its MaxAppendSize to 1048576/,
    ],
    [
      'an event is too large',
      { version: '26.1', maxAppendEventSize: 4_000 },
      /to the stream shop_deal-1 as too large: raise its MaxAppendEventSize to 1048576/,
    ],
  ])('was not written, and says what must be allowed or raised: %s', async (_, options, words) => {
    set(options);
    const error = await failureOf(log.append([large('deal-1')]));
    expect(error).toBeInstanceOf(AppendRefused);
    expect(error).toMatchObject({ stream: 'deal-1', message: expect.stringMatching(words) });
    expect(await log.readStream('deal-1', 0, 1)).toEqual([]);
  });

  it('may be written later if the server is too busy: this sending was not', async () => {
    set({ tooBusyFor: 'shop_deal-' });
    await expect(log.append([numbered('deal-1', NO_STREAM, 1)])).rejects.toThrow(AppendNotTaken);
  });

  it('may have been written if the answer is one that nobody knows', async () => {
    set({ strangeAbout: 'shop_deal-' });
    const error = await failureOf(log.append([numbered('deal-1', NO_STREAM, 1)]));
    expect(error).toBeInstanceOf(AppendOutcomeUnknown);
    expect(error).not.toBeInstanceOf(AppendNotTaken);
  });

  it('leaves a decision that stands, if it is a follower', async () => {
    set({ deniesStreams: 'shop_purchase-' });
    const results = await log.append([
      numbered('deal-1', NO_STREAM, 1),
      numbered('purchase-1', NO_STREAM, 2),
      numbered('coupon-1', NO_STREAM, 3),
    ]);
    expect(results).toMatchObject([
      { kind: 'written' },
      { kind: 'refused', refusal: { stream: 'purchase-1' } },
      { kind: 'written' },
    ]);
  });

  it.each<[string, DoubleOptions]>([
    ['a right', { deniesStreams: 'shop_deal-' }],
    ['a size', { maxAppendSize: 4_000 }],
    ['the size of an event', { version: '26.1', maxAppendEventSize: 4_000 }],
  ])('is asked about without a write, until it would be taken: %s', async (_, options) => {
    set(options);
    const refusal = (await failureOf(log.append([large('deal-1')]))) as AppendRefused;
    await expect(log.probe(refusal)).rejects.toMatchObject({ name: 'AppendRefused', stream: 'deal-1' });
    set({});
    await log.probe(refusal);
    expect(await log.readStream('deal-1', 0, 1)).toEqual([]);
  });

  it('leaves its line after some answers in a row that it came too late, and looks for the leader again', async () => {
    const server = new ServerConnection(`${double.url}&defaultDeadline=100`);
    const before = await server.appendConnection();
    set({ loseEvery: 1, lose: 'deadline' });
    for (let times = 0; times < 3; times += 1) {
      expect(await server.appendConnection()).toBe(before);
      const [event] = numbered('deal-1', NO_STREAM, 1).events;
      await expect(server.append(`deal-${times}`, NO_STREAM, event === undefined ? [] : [event])).rejects.toThrow();
    }
    expect(await server.appendConnection()).not.toBe(before);
    await server.close();
  });
});
