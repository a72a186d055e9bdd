import { describe, expect, it } from '@jest/globals';
import { Unavailable } from '#eventsourcing';
import { OwnStreams } from './own-streams.js';
import { type ServerEvent, StreamDeleted } from './server.js';
import { type FoundInStream, StreamWatch, UnknownCategory } from './stream-watch.js';

const metadata = { time: 1, command_id: 'c', correlation: 'r', causation: null, actor: 'system:test' };
const categories = ['deal', 'inventory'];

/** A watch over a server with these streams; an error as a stream means that it was deleted for ever. */
function watch(
  prefix: string,
  streams: Record<string, readonly Partial<ServerEvent>[] | Error>,
  accepted = false,
): {
  watch: StreamWatch;
  found: FoundInStream[];
  notices: string[];
  event: (stream: string, index?: number) => ServerEvent;
} {
  const found: FoundInStream[] = [];
  const notices: string[] = [];
  const event = (stream: string, index = 0): ServerEvent => {
    const events = streams[stream];
    const but = Array.isArray(events) ? events[index] : {};
    const place = { stream, revision: index, position: BigInt(index + 1), id: `${stream} ${index}`, created: 0 };
    return { ...place, type: 'happened.v1', data: {}, metadata, ...but };
  };
  const server = {
    async readStream(stream: string, from: number, max: number) {
      const events = streams[stream];
      if (events instanceof Error) throw events;
      return events?.map((_, index) => event(stream, index)).slice(from, from + max);
    },
  };
  const onFound = (each: FoundInStream): boolean => {
    found.push(each);
    return accepted;
  };
  const onNotice = (words: string): void => void notices.push(words);
  const ours = new OwnStreams(prefix, categories);
  const { signal } = new AbortController();
  return { watch: new StreamWatch(server, ours, { onFound, onNotice }, signal), found, notices, event };
}

describe('a stream of ours with events of others', () => {
  const others = { metadata: { user: 'bob' } };

  it.each([
    ['in the middle', [{}, others, {}, {}, {}]],
    ['at the end of a page', [{}, {}, others, {}, {}]],
    ['for a whole page', [{}, others, others, others, {}]],
    ['at its end', [{}, {}, {}, {}, others]],
  ])('is read to its end if they are accepted: %s', async (_, events) => {
    const { watch: over } = watch('', { 'deal-1': events }, true);
    const expected = events.flatMap((event, revision) => (event === others ? [] : [revision]));
    const revisions = async (max: number): Promise<number[]> =>
      (await over.readStream('deal-1', 0, max)).map(({ revision }) => revision);
    expect(await revisions(3)).toEqual(expected.slice(0, 3));
    expect(await revisions(5)).toEqual(expected);
  });
});

describe('a stream of ours without events', () => {
  it('is normal if nobody has written to it', async () => {
    const { watch: over, found } = watch('', {});
    expect(await over.readStream('deal-1', 0, 10)).toEqual([]);
    expect(found).toEqual([]);
  });

  it.each([
    ['was deleted', { $tb: 9_223_372_036_854_776_000 }],
    ['may hold one event', { $maxCount: 1 }],
    ['may hold events for a second', { $maxAge: 1 }],
  ])('is refused if it %s', async (_, data) => {
    const [name] = Object.keys(data);
    const { watch: over, found } = watch('shop_', { '$$shop_deal-1': [{ data }] });
    await expect(over.readStream('deal-1', 0, 10)).rejects.toThrow(Unavailable);
    expect(found).toMatchObject([{ stream: 'deal-1', words: expect.stringContaining(`Somebody has set ${name}`) }]);
  });

  it('is refused if it was deleted for ever', async () => {
    const { watch: over, found } = watch('', { 'deal-1': new StreamDeleted() });
    await expect(over.readStream('deal-1', 0, 10)).rejects.toThrow(Unavailable);
    expect(found).toMatchObject([{ stream: 'deal-1', words: expect.stringContaining('tombstone') }]);
  });

  it('is empty once an operator has accepted a tombstone; events that metadata hides still allow no decision', async () => {
    const gone = { 'deal-2': new StreamDeleted(), '$$deal-2': new StreamDeleted() };
    const { watch: over } = watch('', { '$$deal-1': [{ data: { $tb: 5 } }], ...gone }, true);
    await expect(over.readStream('deal-1', 0, 10)).rejects.toThrow(Unavailable);
    expect(await over.readStream('deal-2', 0, 10)).toEqual([]);
    expect([await over.isDeleted('deal-1'), await over.isDeleted('deal-2')]).toEqual([false, true]);
  });

  it('may have metadata that removes nothing', async () => {
    const { watch: over, found } = watch('', {
      '$$deal-1': [{ data: { $acl: {}, owner: 'ann', $maxCount: null, $tb: 0 } }],
    });
    expect(await over.readStream('deal-1', 0, 10)).toEqual([]);
    expect(found).toEqual([]);
  });
});

describe("another application's event", () => {
  const shapes = [undefined, null, 7, 'text', [1], { time: 'noon' }];

  it('in a stream of ours refuses that stream, and is not delivered', async () => {
    for (const shape of shapes) {
      const { watch: over, found } = watch('', { 'deal-1': [{}, { metadata: shape, data: shape }, {}] });
      await expect(over.readStream('deal-1', 0, 10)).rejects.toThrow(Unavailable);
      expect(found).toMatchObject([{ stream: 'deal-1', words: expect.stringContaining('deal-1@1 (happened.v1)') }]);
    }
  });

  it('that an operator has accepted is skipped', async () => {
    const { watch: over, found } = watch('', { 'deal-1': [{}, { metadata: null }, {}] }, true);
    expect((await over.readStream('deal-1', 0, 10)).map(({ revision }) => revision)).toEqual([0, 2]);
    expect(found).toMatchObject([{ at: 1 }]);
  });

  it('is found later in the log, too, wherever the stream began as ours', async () => {
    for (const prefix of ['', 'shop_']) {
      const stream = `${prefix}deal-1`;
      const { watch: over, found, event } = watch(prefix, { [stream]: [{}, { metadata: null }] });
      expect(await over.pick([event(stream, 0), event(stream, 1)])).toMatchObject([{ stream: 'deal-1', revision: 0 }]);
      expect(found).toMatchObject([{ stream: 'deal-1' }]);
      expect(over.eventsOfOthers).toBe(1);
    }
  });

  it('in its own stream with a name like ours is only counted, if there is no prefix', async () => {
    const { watch: over, found, event } = watch('', { 'deal-1': shapes.map((metadata) => ({ metadata })) });
    const theirs = shapes.map((_, index) => event('deal-1', index));
    // Their first event may have come before this process.
    expect(await over.pick(theirs.slice(1))).toEqual([]);
    expect(await over.pick(theirs)).toEqual([]);
    expect([over.eventsOfOthers, found]).toEqual([2 * shapes.length - 1, []]);
  });
});

describe.each(['', 'shop_'])('G9: a stream that another program has begun, under the prefix %j', (prefix) => {
  const stream = `${prefix}deal-app`;
  const theirs = { metadata: { user: 'bob' } };

  it('is theirs as a whole: its events are counted, and not found, also a copy of one of ours', async () => {
    const { watch: over, found, event } = watch(prefix, { [stream]: [theirs, theirs, {}] });
    expect(await over.pick([0, 1, 2].map((index) => event(stream, index)))).toEqual([]);
    expect([over.eventsOfOthers, found]).toEqual([3, []]);
    expect(await over.isOthers('deal-app')).toBe(true);
  });

  it('is theirs also for a process that sees only a later event', async () => {
    const { watch: over, found, event } = watch(prefix, { [stream]: [theirs, theirs] });
    expect(await over.pick([event(stream, 1)])).toEqual([]);
    expect([over.eventsOfOthers, found]).toEqual([1, []]);
  });

  it('is named to operators once, and so are at most 20', async () => {
    const names = Array.from({ length: 30 }, (_, nth) => `${prefix}deal-${nth}`);
    const { watch: over, notices, event } = watch(prefix, Object.fromEntries(names.map((name) => [name, [theirs]])));
    await over.pick(names.flatMap((name) => [event(name), event(name)]));
    expect(notices).toHaveLength(21);
    expect(notices[0]).toBe(
      `another program has begun the stream ${prefix}deal-0 (happened.v1), whose name is like ours: Holdfast ignores it as ` +
        'a whole, and refuses to create deal-0',
    );
    expect(notices[20]).toContain('not named here');
  });

  it('reads as missing, whatever its metadata and its deletion', async () => {
    const {
      watch: over,
      found,
      event,
    } = watch(prefix, {
      [stream]: [theirs, theirs],
      [`$$${stream}`]: [{ data: { $maxCount: 1 } }],
    });
    expect(await over.readStream('deal-app', 0, 10)).toEqual([]);
    expect(await over.pick([event(`$$${stream}`), { ...event(stream), type: '$streamDeleted' }])).toEqual([]);
    expect([await over.isCut('deal-app'), found]).toEqual([false, []]);
  });

  it('is none of a stream that we have begun, or that nobody has', async () => {
    const { watch: over } = watch(prefix, { [stream]: [{}, theirs], [`${prefix}deal-gone`]: new StreamDeleted() });
    expect([await over.isOthers('deal-app'), await over.isOthers('deal-b'), await over.isOthers('deal-gone')]).toEqual([
      false,
      false,
      false,
    ]);
  });
});

it('a stream whose first events are gone may have been ours: under a prefix, a stranger’s event in it is found', async () => {
  const cut = [undefined, undefined, { metadata: null, revision: 2 }];
  for (const [prefix, count] of [
    ['shop_', 1],
    ['', 0],
  ] as const) {
    const stream = `${prefix}deal-1`;
    const { watch: over, found, event } = watch(prefix, { [stream]: cut.slice(2) as Partial<ServerEvent>[] });
    expect(await over.pick([event(stream)])).toEqual([]);
    expect(found).toHaveLength(count);
    // Whatever the prefix, nothing is decided on it.
    await expect(over.readStream('deal-1', 0, 10)).rejects.toThrow(Unavailable);
  }
});

it('a deletion is reported with the number that the server wrote, which JSON cannot hold', async () => {
  const { watch: over, found } = watch('shop_', {
    '$$shop_deal-1': [{ data: JSON.parse('{"$tb":9223372036854775807}') }],
  });
  await over.isCut('deal-1');
  expect(found[0]?.words).toContain('has set $tb 9223372036854775807 (a deletion) on the stream deal-1');
});

it('retention on a stream of ours is found when it is set', async () => {
  const { watch: over, found, event } = watch('shop_', { '$$shop_inventory-1': [{ data: { $maxAge: 60 } }] });
  expect(await over.pick([event('$$shop_inventory-1')])).toEqual([]);
  expect(found).toMatchObject([{ stream: 'inventory-1', found: ['$maxAge 60'] }]);
});

it('a question whether a stream is cut reports it like a follower that sees it', async () => {
  const cut = { '$$shop_deal-1': [{ data: { $maxCount: 1 } }], 'shop_deal-1': [{}] };
  const { watch: over, found } = watch('shop_', { ...cut, '$$shop_deal-2': [{ data: { $acl: {} } }] });
  expect([await over.isCut('deal-1'), await over.isCut('deal-2'), await over.isCut('deal-3')]).toEqual([
    true,
    false,
    false,
  ]);
  expect(found).toMatchObject([{ stream: 'deal-1', found: ['$maxCount 1'] }]);
});

it('an event of an unknown category stops followers, by name', async () => {
  const { watch: over, event } = watch('shop_', {});
  await expect(over.pick([event('shop_deal-1'), event('shop_voucher-1')])).rejects.toThrow(
    new UnknownCategory(
      'voucher-1@0 is of a category that this build does not know: a newer build wrote it. Run that build, or a newer one.',
    ),
  );
});
