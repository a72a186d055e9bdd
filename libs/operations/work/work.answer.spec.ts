import { describe, expect, it } from '@jest/globals';
import type { OpenRow, OpenWork } from '#eventsourcing';
import { presentWork } from './work.answer.js';

const NOW = Date.parse('2026-11-29T00:00:00Z');
const list = { name: 'mails', shown: { does: 'Sends mails.', about: () => ({}) } } as unknown as OpenWork;
const tried = { key: 'm1', tries: 3, error: 'its command succeeded', nextTryAt: NOW + 1_000 } as OpenRow['tried'];

describe('G6.2: a piece of open work', () => {
  it('that is due shows why its last try did not end it, and when the next one is', () => {
    expect(
      presentWork({ key: 'm1', position: 1n, row: { due_at: NOW - 1_000 }, state: 'due', tried }, list, NOW),
    ).toMatchObject({
      tries: 3,
      last_error: 'its command succeeded',
      next_try_at: '2026-11-29T00:00:01Z',
    });
  });

  it('that a try has put off shows no error: it is tried when it is due', () => {
    expect(
      presentWork({ key: 'm1', position: 1n, row: { due_at: NOW + 60_000 }, state: 'waiting', tried }, list, NOW),
    ).toMatchObject({
      tries: 3,
      last_error: null,
      next_try_at: null,
      todo: 'Nothing: it is not due yet.',
    });
  });
});
