import { beforeEach, describe, expect, it } from '@jest/globals';
import { thisMachine } from '#adapters/machine';
import { Keyring, type LogOwner, type LogRecord, type OwnedLog, type SeenByView } from '#eventsourcing';
import type { Position, Recorded } from '#kernel';
import { KeyValuesInMemory } from '../../test/support/key-values-in-memory.js';
import { numbered } from '../../test/support/numbered.js';
import { ScriptedLog } from '../../test/support/scripted-log.js';
import { INSTALLATION_ENTRY, Ownership } from './ownership.js';
import { LogMark, type Mark } from './log-mark.js';

const KEYS = Keyring.of(Buffer.alloc(32, 1), thisMachine.randomness);

describe('whether a log is this installation’s', () => {
  let log: ScriptedLog & OwnedLog;
  let record: LogRecord | undefined;
  let keyValues: KeyValuesInMemory;
  let owners: LogOwner[];
  let noted: Position;
  let seen: readonly SeenByView[];

  const ownership = (keyring = KEYS): Ownership =>
    new Ownership({
      log,
      keyValues,
      mark: new LogMark(keyValues, thisMachine.time),
      keyring,
      keysShared: true,
      seenByViews: async (identity) => seen.filter(({ checkpoint }) => checkpoint.log === identity),
      behindFor: 0,
      waits: () => undefined,
      machine: thisMachine,
    });
  const markOf = ({ id, position, revision, stream }: Recorded, changes: Partial<Mark> = {}): Mark => ({
    identity: 'the log',
    id,
    position,
    revision,
    stream,
    ...changes,
  });
  const last = (): Recorded => {
    const event = log.events.at(-1);
    if (event === undefined) throw new Error('the log is empty');
    return event;
  };
  const words = async (found: Promise<readonly { readonly words: string }[]>): Promise<string> =>
    (await found).map((each) => each.words).join(' ');

  beforeEach(async () => {
    record = { identity: 'the log', owner: undefined };
    owners = [];
    noted = 0n;
    seen = [];
    log = Object.assign(new ScriptedLog(), {
      lease: {
        readLease: async () => ({ revision: 0, holder: undefined, marked: noted }),
        writeLease: async () => false,
      },
      record: async () => record,
      async *subscribe() {
        yield { events: log.events, caughtUp: true };
      },
      own: async (before: LogOwner | undefined, owner: LogOwner) => {
        if (record === undefined || record.owner !== before) return false;
        owners.push(owner);
        record = { ...record, owner };
        return true;
      },
    });
    keyValues = new KeyValuesInMemory();
  });

  it('is true for an empty log that is nobody’s: it is taken, and known from then on', async () => {
    expect(await ownership().begin(new Set())).toEqual([]);
    expect(owners).toHaveLength(1);
    expect(await new LogMark(keyValues, thisMachine.time).read()).toMatchObject({ identity: 'the log', position: 0n });
    expect(await ownership().check()).toEqual([]);
  });

  it('is false for a log with events that names no owner: nothing is written to it', async () => {
    await log.append([numbered('deal-a', -1, 1)]);
    expect(await words(ownership().begin(new Set()))).toMatch(/names no owner, although it has events/);
    expect(owners).toEqual([]);
    expect(await ownership().isOurs()).toBe(false);
  });

  describe('once it is ours', () => {
    beforeEach(async () => {
      await ownership().begin(new Set());
      await log.append([numbered('deal-a', -1, 1)]);
      await new LogMark(keyValues, thisMachine.time).reset(markOf(last()));
    });
    const found = async (at: 'start' | 'running'): Promise<string> =>
      words(at === 'start' ? ownership().begin(new Set()) : ownership().check());

    it.each<['start' | 'running', string, () => void, RegExp]>(
      (['start', 'running'] as const).flatMap((at) => [
        [at, 'another identity', () => (record = { identity: 'another', owner: record?.owner }), /another event log/],
        [at, 'none at all', () => (record = undefined), /event log is empty or missing/],
        [
          at,
          'another installation',
          () => {
            record = { identity: 'the log', owner: { installation: 'other', keys: record?.owner?.keys ?? '' } };
          },
          /belongs to another installation \(other\)/,
        ],
        [
          at,
          'other keys',
          () => {
            record = { identity: 'the log', owner: { installation: record?.owner?.installation ?? '', keys: 'other' } };
          },
          /written with other keys/,
        ],
        [at, 'an end before the mark', () => log.events.pop(), /ends before the last event/],
      ]),
    )('at the %s it is refused with %s', async (at, _, change, expected) => {
      change();
      expect(await found(at)).toMatch(expected);
    });

    it.each<[string, Partial<Mark>]>([
      ['id', { id: 'another' }],
      ['stream', { stream: 'deal-b' }],
      ['revision', { revision: 7 }],
    ])('is refused if an event with another %s is at the mark', async (_, changes) => {
      await new LogMark(keyValues, thisMachine.time).reset(markOf(last(), changes));
      expect(await found('running')).toContain('has another history');
    });

    it('is refused, while the service runs, if it no longer names an owner', async () => {
      record = { identity: 'the log', owner: undefined };
      expect(await found('running')).toContain('no longer names its owner');
    });

    it('continues if it is ahead of the mark, as after a kill', async () => {
      expect(await log.append([numbered('deal-a', 0, 2)])).toMatchObject([{ kind: 'written' }]);
      expect(await found('running')).toBe('');
      expect(await found('start')).toBe('');
    });

    it('has an older key store if its lease notes more, until that is accepted', async () => {
      const known = last();
      await log.append([numbered('deal-a', 0, 2)]);
      noted = last().position;
      expect(await found('running')).toBe('');
      const [refused] = await ownership().begin(new Set());
      expect([refused?.kind, refused?.words]).toEqual([
        'keys behind',
        expect.stringContaining('The key store is older than the event log: it knows'),
      ]);
      expect([
        await ownership().isOurs(),
        await ownership().foreseen(new LogMark(keyValues, thisMachine.time)),
      ]).toEqual([true, refused]);
      expect(await new LogMark(keyValues, thisMachine.time).read()).toEqual(markOf(known));
      expect(await ownership().begin(new Set([refused?.code ?? '']))).toEqual([]);
      expect(await found('start')).toBe('');
    });

    describe('and views have seen an event after the mark', () => {
      const upTo = (view: string, { position, id }: Recorded): SeenByView => ({
        view,
        checkpoint: { log: 'the log', position, event: id },
      });

      beforeEach(async () => {
        const first = last();
        await log.append([numbered('deal-a', 0, 2)]);
        seen = [upTo('users', first), upTo('deals', last()), upTo('coupons', first)];
      });

      it('continues if it has that event', async () => {
        expect(await found('running')).toBe('');
        expect(await found('start')).toBe('');
      });

      // The processes that knew it have ended within the second in which they would have moved the mark.
      it.each(['running', 'start'] as const)('is refused without that event (%s)', async (state) => {
        log.events.pop();
        expect(await found(state)).toContain('has no event at position 2, which the view deals has seen');
      });

      it('is refused with another event in that place', async () => {
        log.events.pop();
        await log.append([numbered('deal-a', 0, 3)]);
        expect(await found('start')).toContain('has another event at position 2, which the view deals has seen');
      });

      it('is accepted by its code, before the views are built again', async () => {
        log.events.pop();
        const [refused] = await ownership().begin(new Set());
        expect(refused).toMatchObject({ kind: 'view', seen: { position: '2' } });
        expect(await ownership().begin(new Set([refused?.code ?? '']))).toEqual([]);
        expect(await found('running')).toBe('');
        expect(await found('start')).toBe('');
      });
    });

    it('is accepted by the code of exactly what was found, and is then this installation’s', async () => {
      record = { identity: 'another', owner: { installation: 'other', keys: 'other' } };
      const [first] = await ownership().begin(new Set(['0'.repeat(12)]));
      expect(await ownership().begin(new Set([first?.code ?? '']))).toEqual([]);
      expect((await log.record())?.owner?.installation).toBe(keyValues.texts.get(INSTALLATION_ENTRY));
      expect(await new LogMark(keyValues, thisMachine.time).read()).toEqual(markOf(last(), { identity: 'another' }));
      log.events.pop();
      expect(await ownership().begin(new Set([first?.code ?? '']))).toMatchObject([{ kind: 'mark' }]);
    });
  });
});
