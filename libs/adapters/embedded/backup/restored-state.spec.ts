import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { thisMachine } from '#adapters/machine';
import { copyState, type StateLine, type StateNews } from '#backup';
import { PASSING } from '#eventsourcing';
import { tempFolder } from '../../../../test/support/temp-folder.js';
import { EmbeddedState } from '../state/embedded-state.js';
import { openCopiedState } from './copied-folder.js';
import { RestoredEmbeddedState } from './restored-state.js';

const folder = tempFolder();
afterAll(() => folder.remove());
const master = (): Buffer => Buffer.alloc(32, 1);
const inFolder = (name: string): string => join(folder.path, name);
const record = { credential: 'partner:acme', key: 'order' };

/** The rows in what a copy says. */
async function rowsIn(news: AsyncIterable<StateNews>): Promise<readonly StateLine[]> {
  const rows: StateLine[] = [];
  for await (const each of news) if ('kind' in each) rows.push(each);
  return rows;
}

describe('G12.2 G11.5: a restored key store', () => {
  it('has keys, secrets, answers and entries as they were, from a running one and from a file', async () => {
    const state = await EmbeddedState.open(inFolder('state.db'), master);
    const ann = await state.keys.obtain('ann');
    await state.keys.obtain('bob');
    await state.keys.destroy('bob');
    await state.vault.put('card', Buffer.from('4242'));
    await state.vault.put('gone', Buffer.from('1881'));
    await state.vault.destroy('gone');
    await state.records.begin(record, 'f', 'command', 1);
    await state.records.keep(record, Buffer.from('yes'), 1);
    await state.keyValues.insert('name', 'text');
    await state.keyValues.insert(`${PASSING}metrics/0`, 'of the last hour');
    // More rows than one part has.
    await Promise.all(Array.from({ length: 600 }, (_, nth) => state.keys.obtain(`person-${nth}`)));
    const options = { follow: false, signal: new AbortController().signal, time: thisMachine.time };
    const running = await rowsIn(copyState(state.copied, () => Promise.resolve(7n), options));
    await state.close();
    const file = openCopiedState(inFolder('state.db'));
    const stopped = await rowsIn(copyState(file, () => Promise.resolve(7n), options));
    file.close();
    expect(stopped).toEqual(running);

    const target = RestoredEmbeddedState.begin(inFolder('restored.db'));
    await target.add(running);
    await target.finish();
    const restored = await EmbeddedState.open(inFolder('restored.db'), master);
    expect(await restored.keys.get('ann')).toEqual(ann);
    expect([await restored.keys.get('bob'), await restored.keys.knows('bob')]).toEqual([undefined, true]);
    expect(await restored.keys.obtain('bob')).toBeUndefined();
    expect(String(await restored.vault.get('card'))).toBe('4242');
    expect(await restored.vault.get('gone')).toBeUndefined();
    expect(await restored.records.begin(record, 'f', 'other', 2)).toEqual({ kind: 'kept', answer: Buffer.from('yes') });
    expect(await restored.keyValues.get('name')).toBe('text');
    expect(await restored.keyValues.get(`${PASSING}metrics/0`)).toBeUndefined();
    expect(await restored.keys.knows('person-599')).toBe(true);
    await restored.close();
  });

  it('G12: has no bytes of keys and secrets that later rows have destroyed or replaced', async () => {
    const sealed = (): string => randomBytes(60).toString('base64');
    const of = (nth: number, secret: string | null): StateLine[] => [
      { kind: 'key', person: `p${nth}`, sealed: secret, key: 0 },
      { kind: 'secret', name: `s${nth}`, sealed: secret, key: 0 },
    ];
    const first = Array.from({ length: 500 }, sealed);
    const next = Array.from({ length: 500 }, (_, nth) => (nth % 2 === 0 ? null : sealed()));
    const target = RestoredEmbeddedState.begin(inFolder('replaced.db'));
    await target.add(first.flatMap((secret, nth) => of(nth, secret)));
    await target.add(next.flatMap((secret, nth) => of(nth, secret)));
    await target.finish();
    const bytes = readFileSync(inFolder('replaced.db'));
    expect(first.filter((secret) => bytes.includes(Buffer.from(secret, 'base64')))).toEqual([]);
    expect(next.filter((secret) => secret !== null && !bytes.includes(Buffer.from(secret, 'base64')))).toEqual([]);
  });
});

describe('G12.2: what has changed in a running key store', () => {
  it('is each changed row, as it is now, since the last question', async () => {
    const state = await EmbeddedState.open(inFolder('changing.db'), master);
    const { copied } = state;
    await state.keys.obtain('before');
    const begun = await copied.changes(undefined);
    expect(begun.lines).toEqual([]);
    await state.keys.obtain('ann');
    await state.vault.put('card', Buffer.from('4242'));
    await state.vault.put('card', Buffer.from('1881'));
    await state.vault.put('gone', Buffer.from('1'));
    await state.vault.destroy('gone');
    await state.records.begin(record, 'f', 'command', 1);
    await state.records.keep(record, Buffer.from('yes'), 1);
    const { lines = [], mark } = await copied.changes(begun.mark);
    expect(lines).toEqual([
      expect.objectContaining({ kind: 'key', person: 'ann' }),
      expect.objectContaining({ kind: 'secret', name: 'card' }),
      { kind: 'secret', name: 'gone', sealed: null, key: 0 },
      expect.objectContaining({ kind: 'answer', state: 'done', command_id: 'command' }),
    ]);
    expect((await copied.changes(mark)).lines).toEqual([]);
    // Another one that follows hears of the same.
    expect((await copied.changes(begun.mark)).lines).toHaveLength(4);
    await state.close();
    // After a restart nothing is known of before.
    const again = await EmbeddedState.open(inFolder('changing.db'), master);
    expect((await again.copied.changes(mark)).lines).toBeUndefined();
    await again.close();
  });
});
