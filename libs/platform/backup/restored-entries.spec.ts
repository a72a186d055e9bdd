import { describe, expect, it } from '@jest/globals';
import type { AnswerLine, KeptLine } from '#backup';
import { RestoredRows } from './restored-entries.js';

const END = 1_800_000_000_000;
const answer = (since: number, state: AnswerLine['state'] = 'done'): AnswerLine => ({
  kind: 'answer',
  record: `r${since}`,
  fingerprint: 'f',
  command_id: 'c',
  state,
  since,
  sealed: state === 'done' ? 'AAAA' : null,
  key: 0,
});
const free = (line: AnswerLine): AnswerLine => ({ ...line, state: 'free', sealed: null, key: 0 });

describe('G12.2: what a restore makes of the rows', () => {
  it('A11: drops answers that are younger than the log, and keeps their commands, so that repeats find their events', () => {
    const rows = new RestoredRows({ time: END }, false);
    const [old, young, running] = [answer(END - 60_000), answer(END + 1), answer(END - 60_000, 'running')];
    expect(rows.of([old, young, running])).toEqual([old, free(young), free(running)]);
    expect(rows.young).toEqual([{ sealed: 'AAAA', key: 0 }]);
  });

  it('A11: drops all answers on another engine, whose positions they do not have', () => {
    const rows = new RestoredRows({ time: END }, true);
    expect(rows.of([answer(END - 60_000)])).toEqual([free(answer(END - 60_000))]);
    expect(rows.young).toEqual([]);
  });

  it('leaves out what says where something is in the log of before, and writes where the log of now ends', () => {
    const rows = new RestoredRows({ time: END }, false);
    const entry = (name: string, text = '{}'): KeptLine => ({ kind: 'entry', name, text });
    const gone = ['log record', 'log searched', 'self-audit', 'mark', 'marks before', 'console sessions'];
    const lines = [...gone, 'keys', 'ledger', 'erasures-applied'].map((name) => entry(name));
    expect(rows.of([...lines, entry('folder', '{"starts":4,"settled":false}')])).toEqual(lines.slice(gone.length));
    const accepted = [
      { code: 'a', stream: 's', below: 2 },
      { code: 'b', identity: 'i', position: '9' },
    ];
    expect(rows.of([entry('accepted', JSON.stringify(accepted))])).toEqual([
      entry('accepted', JSON.stringify(accepted.slice(0, 1))),
    ]);
    const mark = { identity: 'i', position: 7n, stream: 's', revision: 2, id: 'e' };
    expect(rows.entries(mark)).toEqual([
      entry('mark', '{"identity":"i","position":"7","stream":"s","revision":2,"id":"e"}'),
      entry('folder', '{"starts":4,"settled":true}'),
    ]);
  });

  it('of an installation that had no folder begins with its first start', () => {
    const mark = { identity: 'i', position: 0n, stream: '', revision: -1, id: '' };
    expect(new RestoredRows(undefined, false).entries(mark)[1]).toMatchObject({ text: '{"starts":1,"settled":true}' });
  });
});
