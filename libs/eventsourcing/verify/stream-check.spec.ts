import { describe, expect, it } from '@jest/globals';
import { causationOf, defineStreamRules, type Recorded } from '#kernel';
import { ScriptedLog } from '../../../test/support/scripted-log.js';
import { copy, tally, tallyCodec, tallyFollowers, tallyTypes, type TallyState } from '../../../test/support/tally.js';
import { type Fault, nothingChecked } from './fault.js';
import { LogOrder } from './log-order.js';
import { WHOLE } from './part.js';
import { SnapshotCheck } from './snapshot-check.js';
import { StreamCheck } from './stream-check.js';

const WEEK = 7 * 86_400_000;
const NOW = 3 * WEEK;

/** What a made-up event has besides its stream. */
interface Given {
  readonly stream?: string;
  readonly key?: string;
  readonly copies?: readonly string[];
  readonly time?: number;
  readonly more?: Partial<Recorded>;
}

/** A log of made-up events, each of which is the next of its stream. */
class Told {
  readonly log = new ScriptedLog();

  /** A decision. */
  added({ stream = 'tally-a', key, copies = [], time = NOW, more = {} }: Given = {}): Recorded {
    const revision = this.log.events.filter((event) => event.stream === stream).length;
    const data = { key: key ?? `${stream}.${revision}`, total: revision + 1, at: time, copies, filling: '' };
    return this.#push({ type: 'added.v1', data, stream, revision }, time, null, more);
  }

  /** What follows from a decision in the stream of a copy. */
  copied(decision: Recorded, id: string, more: Partial<Recorded> = {}): Recorded {
    const stream = `copy-${id}`;
    const revision = this.log.events.filter((event) => event.stream === stream).length;
    const { key } = decision.data as { readonly key: string };
    const { time } = decision.metadata;
    return this.#push(
      { type: 'copied.v1', data: { key, at: time }, stream, revision },
      time,
      causationOf(decision),
      more,
    );
  }

  #push(
    event: Pick<Recorded, 'type' | 'data' | 'stream' | 'revision'>,
    time: number,
    causation: string | null,
    more: Partial<Recorded>,
  ): Recorded {
    const position = BigInt(this.log.events.length + 1);
    const metadata = { time, command_id: 'c', correlation: 'r', causation, actor: 'partner:a' };
    const whole = { ...event, id: `id-${position}`, position, metadata, ...more } as Recorded;
    this.log.events.push(whole);
    return whole;
  }
}

/** The total of a tally grows by one. */
const rules = defineStreamRules(tally, [], () => ({
  check: ({ total }: TallyState, { data }) =>
    data.total === total + 1 ? [] : [`its total is ${data.total} after ${total}`],
}));
const copyRules = defineStreamRules(copy, ['copied.v1']);

/** What is found in a log: `kind where: what`. @param bytes that folded streams may hold */
async function foundIn({ log }: Told, bytes = 1e6, isOpen = false): Promise<readonly string[]> {
  const faults: Fault[] = [];
  const report = (fault: Fault): void => void faults.push(fault);
  const checked = nothingChecked();
  const order = new LogOrder({ dense: true, movesClock: () => false, isKnown: () => false, report }, 0n);
  const check = new StreamCheck({
    log,
    codec: tallyCodec,
    model: { deciders: [tally, copy], events: tallyTypes, followers: [tallyFollowers], rules: [rules, copyRules] },
    snapshots: new SnapshotCheck({ store: undefined, folds: [], log: 'x', report, checked }),
    part: WHOLE,
    bytes,
    report,
    checked,
    found: () => undefined,
    isKnown: () => false,
    hasJustMoved: () => false,
    isOpen: () => Promise.resolve(isOpen),
  });
  for (const stored of log.events) {
    order.take(stored);
    let event: Recorded | undefined;
    try {
      event = tallyCodec.decode(stored);
    } catch {
      event = undefined;
    }
    await check.take(stored, event);
  }
  await check.end();
  return faults.map(({ kind, where, position, what }) => `${kind} ${where ?? `position ${position}`}: ${what}`);
}

describe('G7.10: an audit of streams', () => {
  const sound = (): Told => {
    const told = new Told();
    for (let at = 0; at < 30; at += 1) {
      const decision = told.added({ stream: `tally-${at % 3}`, copies: ['x', `y${at}`], time: NOW + at * 1_000 });
      told.copied(decision, 'x');
      if (at !== 29) told.copied(decision, `y${at}`);
    }
    return told;
  };

  it.each([1e6, 0])(
    'finds nothing in a sound log, and reads streams again that it has forgotten: %d bytes',
    async (bytes) => {
      const told = sound();
      told.copied(told.log.events.findLast(({ type }) => type === 'added.v1') as Recorded, 'y29');
      expect(await foundIn(told, bytes)).toEqual([]);
    },
  );

  it('finds what a decision lacks in another stream, unless the work list knows it', async () => {
    expect(await foundIn(sound())).toEqual(['missing tally-2@9: copy-y29 lacks what follows from it']);
    expect(await foundIn(sound(), 1e6, true)).toEqual([]);
  });

  it('misses nothing where a later decision did the work of an earlier one', async () => {
    const told = new Told();
    told.added({ copies: ['x'], key: 'same' });
    told.copied(
      told.added({
        copies: ['x'],
        key: 'same',
        more: { data: { key: 'same', total: 2, at: NOW, copies: ['x'], filling: '' } },
      }),
      'x',
    );
    expect(await foundIn(told)).toEqual([]);
  });

  it.each<[string, (told: Told) => void, readonly string[]]>([
    [
      'a deleted event',
      (told) => {
        told.added();
        told.added();
        told.added();
        told.log.events.splice(1, 1);
      },
      [
        'missing position 2: The log has no event at position 2: somebody deleted it. Accepting it loses what those events say: units are sold again, redemption codes are given out again, and nobody finds the purchases.',
        'missing tally-a@2: revision 1 of its stream was expected, and 2 comes',
      ],
    ],
    [
      'two events in the wrong order',
      (told) => {
        told.added();
        const [one, other] = [told.added(), told.added()];
        told.log.events.splice(1, 2, { ...other, position: 2n }, { ...one, position: 3n });
      },
      [
        'missing tally-a@2: revision 1 of its stream was expected, and 2 comes',
        'order tally-a@1: it comes after tally-a@2',
      ],
    ],
    [
      'an id twice',
      (told) => (told.added(), told.added({ more: { id: 'id-1' } })),
      ['order tally-a@1: an event before has the same id'],
    ],
    [
      'a decision a week earlier',
      (told) => (told.added(), told.added({ time: NOW - WEEK })),
      [
        'time tally-a@1: it is 7 days earlier than the decision before it in the log',
        'time tally-a@1: it is 7 days earlier than the decision before it in its stream',
      ],
    ],
    ['a decision that differs by two clocks', (told) => (told.added(), told.added({ time: NOW - 20_000 })), []],
    [
      'a sum',
      (told) => told.added({ more: { data: { key: 'k', total: 3, at: NOW, copies: [], filling: '' } } }),
      ['sum tally-a@0: its total is 3 after 0'],
    ],
    [
      'a type that nobody knows',
      (told) => told.added({ more: { type: 'odd.v1' } }),
      [
        'shape tally-a@0: tally-a@0 has the type odd.v1, which this build does not know: a newer build wrote it. Run that build, or a newer one.',
      ],
    ],
    [
      'an event of another category',
      (told) => told.added({ stream: 'copy-a' }),
      ['shape copy-a@0: an event added.v1 belongs to streams of tally'],
    ],
    [
      'a stream of nobody',
      (told) => told.added({ stream: 'odd-a' }),
      ['shape odd-a@0: no stream of ours has such a name'],
    ],
    [
      'data without its fields',
      (told) => told.added({ more: { data: {} } }),
      ['shape tally-a@0: what follows from it cannot be derived', 'sum tally-a@0: its total is undefined after 0'],
    ],
    [
      'a follower of an actor who did not decide',
      (told) => {
        const decision = told.added({ copies: ['x'] });
        told.copied(decision, 'x', {
          metadata: { ...decision.metadata, causation: 'tally-a@0', actor: 'operator:eve' },
        });
      },
      ['cause copy-x@0: its actor is not that of its decision tally-a@0'],
    ],
    [
      'a follower of another time and correlation',
      (told) => {
        const decision = told.added({ copies: ['x'] });
        const metadata = { ...decision.metadata, causation: 'tally-a@0', time: NOW - WEEK, correlation: 'odd' };
        told.copied(decision, 'x', { metadata });
      },
      [
        'cause copy-x@0: its time is 7 days before that of its decision tally-a@0',
        'cause copy-x@0: its correlation is not that of its decision tally-a@0',
      ],
    ],
    [
      'a follower with other data',
      (told) => told.copied(told.added({ copies: ['x'] }), 'x', { data: { key: 'odd', at: NOW } }),
      ['follower copy-x@0: its key is not the same as its decision tally-a@0 leads to'],
    ],
    [
      'a follower too many',
      (told) => {
        const decision = told.added({ copies: ['x'] });
        told.copied(decision, 'x');
        told.copied(decision, 'x');
      },
      ['follower copy-x@1: tally-a@0 leads to nothing here: it had followed before'],
    ],
    [
      'a follower of a decision that leads elsewhere',
      (told) => told.copied(told.added(), 'x'),
      ['follower copy-x@0: its cause tally-a@0 leads to nothing in this stream'],
    ],
    [
      'a follower of a decision that is not there',
      (told) => told.copied({ ...told.added(), revision: 7 }, 'x'),
      ['follower copy-x@0: its cause tally-a@7 is not in the log'],
    ],
    [
      'a follower without a cause',
      (told) => told.copied(told.added(), 'x', { metadata: { ...told.added().metadata } }),
      ['follower copy-x@0: only a decision in another stream leads to such an event, and it names none'],
    ],
  ])('finds %s', async (_, tell, expected) => {
    const told = new Told();
    tell(told);
    expect(await foundIn(told)).toEqual(expected);
  });
});
