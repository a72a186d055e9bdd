import { beforeEach, describe, expect, it } from '@jest/globals';
import type { LeaseHolder, LeaseRead, LeaseRegister } from '#eventsourcing';
import { isOlderThanNoted, NotedLease } from './noted-lease.js';
import type { Mark } from './log-mark.js';

const HOLDER: LeaseHolder = { mode: 'shared', place: 'here', process: 'one', words: 'an API' };
const markAt = (position: bigint): Mark => ({ identity: 'log', position, stream: 's-1', revision: 0, id: 'e' });

describe('the lease as its holders write it', () => {
  let note: LeaseRead;
  let register: LeaseRegister;
  let met: Mark | undefined;
  let doubtful: boolean;
  let lease: NotedLease;

  beforeEach(() => {
    [note, met, doubtful] = [{ revision: 3, holder: HOLDER, marked: 5n }, markAt(4n), false];
    register = {
      readLease: async () => note,
      async writeLease(revision, next) {
        if (revision !== note.revision) return false;
        note = { revision: revision + 1, ...next };
        return true;
      },
    };
    const mark = {
      get met() {
        return met;
      },
    };
    lease = new NotedLease(register, { mark, doubtful: () => doubtful });
  });

  it('notes the furthest mark that the key store has known, and never less', async () => {
    await lease.readLease();
    expect([await lease.writeLease(3, undefined), note]).toEqual([
      true,
      { revision: 4, holder: undefined, marked: 5n },
    ]);
    met = markAt(9n);
    expect([await lease.writeLease(4, HOLDER), note]).toEqual([true, { revision: 5, holder: HOLDER, marked: 9n }]);
  });

  it('is written at the end by a process that knows more than it notes, whoever holds it, and by no other', async () => {
    await lease.settle();
    expect(note.revision).toBe(3);
    met = markAt(9n);
    // Another process writes between the read and the write.
    const { writeLease } = register;
    register.writeLease = async (revision, next) => {
      register.writeLease = writeLease;
      note = { ...note, revision: 4 };
      return writeLease(revision, next);
    };
    await lease.settle();
    await lease.settle();
    expect(note).toEqual({ revision: 5, holder: HOLDER, marked: 9n });
  });

  it('is not written at the end if the log does not find it: somebody unknown may hold it', async () => {
    [met, note] = [markAt(9n), { ...note, lost: true }];
    await lease.settle();
    expect(note.revision).toBe(3);
  });

  it('is not written while the log’s owner is in doubt', async () => {
    [met, doubtful] = [markAt(9n), true];
    await expect(lease.writeLease(3, HOLDER)).rejects.toThrow(
      'whether the event log is whole and ours is being checked',
    );
    await expect(lease.settle()).rejects.toThrow('whether the event log is whole and ours is being checked');
    expect(note.revision).toBe(3);
  });

  it('shows a key store that knows less, and not one that learned more meanwhile', async () => {
    const isOlder = (known: Mark | undefined, head = 9n): Promise<boolean> =>
      isOlderThanNoted(
        register,
        async () => known,
        async () => head,
      );
    expect([await isOlder(markAt(4n)), await isOlder(undefined), await isOlder(markAt(5n))]).toEqual([
      true,
      true,
      false,
    ]);
    // An accepted older log may have the note of a key store that knew less.
    expect(await isOlder(markAt(4n), 4n)).toBe(false);
    // Another process wrote both between the two questions.
    const { readLease } = register;
    register.readLease = async () => {
      const before = await readLease();
      [met, note] = [markAt(8n), { ...note, marked: 8n }];
      return before;
    };
    const later = isOlderThanNoted(
      register,
      async () => met,
      async () => 9n,
    );
    expect(await later).toBe(false);
  });
});
