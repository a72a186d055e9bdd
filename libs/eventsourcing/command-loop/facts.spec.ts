import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { thisMachine } from '#adapters/machine';
import { CommandLoop, SystemClock } from '#eventsourcing';
import { beginWith, defineFollowers, type EventBody, type LackingFact, type Recorded } from '#kernel';
import { openGuard } from '../../../test/support/open-guard.js';
import { ScriptedLog } from '../../../test/support/scripted-log.js';
import { added, contextAt, copy, tally, tallyCodec, type TallyEvent } from '../../../test/support/tally.js';
import { Facts } from './facts.js';

const FACTS = 'tally-facts';

/** A command whose key stands in an event of the stream `tally-facts`; no other key than that of `fact-<revision>` fits. */
const copyOf = (id: string, revision: number): LackingFact =>
  beginWith(copy, id, { stream: FACTS, revision }, (event: EventBody) => {
    const { key } = (event as TallyEvent).data;
    return key === `fact-${revision}` ? { key } : undefined;
  });

/** The total of each event names the revision of a fact, from 1. */
const followers = defineFollowers(tally, {
  'added.v1': ({ data: { total, copies } }) => copies.map((id) => copyOf(id, total - 1)),
});

describe('a follower that lacks a fact of the log', () => {
  let log: ScriptedLog;
  let loop: CommandLoop;
  let reads: string[];

  beforeEach(() => {
    log = new ScriptedLog();
    reads = [];
    log.onRead = (stream, from) => void reads.push(`${stream}@${from}`);
    loop = new CommandLoop({
      log,
      codec: tallyCodec,
      clock: new SystemClock(Date.now),
      followers: [followers],
      machine: thisMachine,
      guard: openGuard(),
    });
  });
  afterEach(() => loop.close());

  const facts = (...keys: readonly string[]): void =>
    log.rival(FACTS, ...keys.map((key, index) => added(key, index + 1)));
  const copied = (id: string): readonly unknown[] =>
    log.events.filter(({ stream }) => stream === `copy-${id}`).map(({ data }) => (data as { key: string }).key);
  const streamsOf = (append: (typeof log.appends)[number] | undefined): unknown => append?.map(({ stream }) => stream);

  it('is written with it before the caller is answered', async () => {
    facts('fact-0');
    const done = await loop.execute(tally, 'a', { key: 'one', copies: ['x', 'y'] }, contextAt());
    expect(done.followers.map(({ stream }) => stream).sort()).toEqual(['copy-x', 'copy-y']);
    expect([copied('x'), copied('y')]).toEqual([['fact-0'], ['fact-0']]);
    expect(reads.filter((read) => read.startsWith(FACTS))).toEqual([`${FACTS}@0`]);
  });

  it('comes after its decision while the fact must be read, and together with it afterwards', async () => {
    facts('fact-0');
    await loop.execute(tally, 'a', { key: 'one', copies: ['x'] }, contextAt());
    expect(log.appends.map(streamsOf)).toEqual([['tally-a'], ['copy-x']]);
    await loop.execute(tally, 'b', { key: 'one', copies: ['y'] }, contextAt());
    expect(streamsOf(log.appends.at(-1))).toEqual(['tally-b', 'copy-y']);
  });

  it.each([
    ['is missing', []],
    ['is another event', ['other']],
  ])('is not written if the fact %s: the decision stands, and its caller hears of the stream', async (_, keys) => {
    facts(...keys);
    const execute = loop.execute(tally, 'a', { key: 'one', copies: ['x'] }, contextAt());
    await expect(execute).rejects.toMatchObject({ name: 'Unavailable', stream: FACTS });
    expect(log.events.filter(({ stream }) => stream === 'tally-a')).toHaveLength(1);
    expect(copied('x')).toEqual([]);
    // Nothing stays broken: others go on.
    await loop.execute(tally, 'a', { key: 'two' }, contextAt());
  });

  it('is written later, like each follower that a crash cut off', async () => {
    let isAway = true;
    log.onRead = (stream) => {
      if (stream === FACTS && isAway) throw new Error('the log is away');
    };
    facts('fact-0');
    await expect(loop.execute(tally, 'a', { key: 'one', copies: ['x'] }, contextAt())).rejects.toThrow('away');
    isAway = false;
    await loop.direct(copyOf('x', 0), contextAt(), { causation: 'tally-a@0', time: 1 });
    expect(copied('x')).toEqual(['fact-0']);
  });
});

describe('the facts that followers lack', () => {
  const read: number[] = [];
  const stored = (revision: number): Recorded => ({
    ...added(`fact-${revision}`, 1),
    stream: FACTS,
    revision,
    position: 1n,
  });
  const log = {
    readStream: async (_: string, from: number): Promise<readonly Recorded[]> => {
      read.push(from);
      return Promise.resolve([stored(from)]);
    },
  };
  beforeEach(() => void (read.length = 0));

  it('are read once for all who need them at a time', async () => {
    const facts = new Facts(log, tallyCodec, 1_000_000);
    await Promise.all([0, 0, 1, 0].map((revision) => facts.read(copyOf('x', revision))));
    expect(read).toEqual([0, 1]);
    expect(facts.known(copyOf('x', 0))).toMatchObject({ command: { key: 'fact-0' } });
    expect(facts.known(copyOf('x', 2))).toBeUndefined();
  });

  it('are forgotten by their weight, those first that nobody needed for long', async () => {
    const facts = new Facts(log, tallyCodec, 1_000);
    for (let revision = 0; revision < 20; revision += 1) {
      await facts.read(copyOf('x', 0));
      await facts.read(copyOf('x', revision));
    }
    expect(read.filter((revision) => revision === 0)).toHaveLength(1);
    expect(facts.known(copyOf('x', 1))).toBeUndefined();
    expect(facts.known(copyOf('x', 19))).toBeDefined();
  });
});
