import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ANSWER_KEPT_FOR, RUNNING_FREES_AFTER, type IdempotencyRecords, type KeyStore } from '#eventsourcing';

/** Records, and the keys of the persons whom their answers show. */
export interface RecordsAndKeys {
  readonly records: IdempotencyRecords;
  readonly keys: KeyStore;
}

/** A store with its data. */
export interface IdempotencyRecordsSubject {
  readonly store: RecordsAndKeys;
  /** Closes this one, and opens the same records as another process would see them. */
  reopen(): Promise<RecordsAndKeys>;
  /** Closes everything that is open and deletes it. */
  dispose(): Promise<void>;
}

const record = { credential: 'partner:acme', key: 'order-1' };
const T = 1_800_000_000_000;

/** What every IdempotencyRecords must do (ruling A11). */
export function idempotencyRecordsContract(name: string, makeSubject: () => Promise<IdempotencyRecordsSubject>): void {
  describe(`idempotency records contract: ${name}`, () => {
    let subject: IdempotencyRecordsSubject;
    let store: IdempotencyRecords;
    beforeEach(async () => {
      subject = await makeSubject();
      store = subject.store.records;
    });
    afterEach(() => subject.dispose());

    // The normal case: the request runs once, and a repeat gets its answer byte for byte.
    it('A11: the first request runs, a repeat gets the stored answer byte for byte', async () => {
      const answer = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
      expect(await store.begin(record, 'f1', 'c1', T)).toEqual({ kind: 'run', commandId: 'c1' });
      await store.keep(record, answer, T + 5);
      const again = await store.begin(record, 'f1', 'c2', T + 10);
      expect(again).toEqual({ kind: 'kept', answer });
      expect(again.kind === 'kept' && Buffer.isBuffer(again.answer)).toBe(true);
    });

    // A 204 has no body: an empty answer is an answer too.
    it('A11: keeps an empty answer, and one of a megabyte', async () => {
      const large = { credential: 'partner:acme', key: 'large' };
      await store.begin(record, 'f1', 'c1', T);
      await store.begin(large, 'f1', 'c2', T);
      await Promise.all([store.keep(record, Buffer.alloc(0), T), store.keep(large, Buffer.alloc(1 << 20, 7), T)]);
      expect(await store.begin(record, 'f1', 'c3', T)).toEqual({ kind: 'kept', answer: Buffer.alloc(0) });
      const again = await store.begin(large, 'f1', 'c3', T);
      expect(again.kind === 'kept' && again.answer.equals(Buffer.alloc(1 << 20, 7))).toBe(true);
    });

    // A client that sends a request on many connections at once must not buy many times.
    it('A11: exactly one of 50 rivals with one key runs', async () => {
      const begun = await Promise.all(
        Array.from({ length: 50 }, (_, index) => store.begin(record, 'f1', `c${index}`, T)),
      );
      expect(begun.filter(({ kind }) => kind === 'run')).toHaveLength(1);
      expect(begun.filter(({ kind }) => kind === 'running')).toHaveLength(49);
    });

    // The same rivals after a crash of the first request: two that run at the same time would be two decisions.
    it('A11: exactly one of 50 rivals for a record that a crash left behind runs', async () => {
      await store.begin(record, 'f1', 'c0', T);
      const begun = await Promise.all(
        Array.from({ length: 50 }, (_, index) => store.begin(record, 'f1', `c${index}`, T + RUNNING_FREES_AFTER)),
      );
      expect(begun.filter(({ kind }) => kind === 'run')).toEqual([{ kind: 'run', commandId: 'c0' }]);
    });

    // Another request under a used key is the client's mistake: it must get neither the answer nor a run of its own.
    it('A11: another request with the same key gets `different`: while the first runs, when freed, when answered', async () => {
      await store.begin(record, 'f1', 'c1', T);
      expect(await store.begin(record, 'f2', 'c2', T)).toEqual({ kind: 'different' });
      expect(await store.begin(record, 'f2', 'c2', T + RUNNING_FREES_AFTER)).toEqual({ kind: 'different' });
      await store.free(record);
      expect(await store.begin(record, 'f2', 'c2', T)).toEqual({ kind: 'different' });
      await store.begin(record, 'f1', 'c1', T);
      await store.keep(record, Buffer.from('yes'), T);
      expect(await store.begin(record, 'f2', 'c2', T)).toEqual({ kind: 'different' });
      expect(await store.begin(record, 'f1', 'c2', T)).toEqual({ kind: 'kept', answer: Buffer.from('yes') });
    });

    // Partners may use the same keys; and a pair is more than the two texts joined.
    it('A11: keeps one record per credential and key', async () => {
      const pairs = [
        { credential: 'a', key: 'bc' },
        { credential: 'ab', key: 'c' },
        { credential: 'a', key: 'bC' },
        { credential: '1:a', key: 'bc' },
      ];
      const begun = await Promise.all(pairs.map((pair, index) => store.begin(pair, `f${index}`, `c${index}`, T)));
      expect(begun).toEqual(pairs.map((_, index) => ({ kind: 'run', commandId: `c${index}` })));
    });

    // The first attempt may have decided before the crash: only its own command id finds what it did.
    it('A11: a record left running frees after 30 s, keeps its command id, and then runs for another 30 s', async () => {
      await store.begin(record, 'f1', 'c1', T);
      const late = T + RUNNING_FREES_AFTER;
      expect(await store.begin(record, 'f1', 'c2', late - 1)).toEqual({ kind: 'running' });
      expect(await store.begin(record, 'f1', 'c2', late)).toEqual({ kind: 'run', commandId: 'c1' });
      expect(await store.begin(record, 'f1', 'c3', late + RUNNING_FREES_AFTER - 1)).toEqual({ kind: 'running' });
      expect(await store.begin(record, 'f1', 'c3', late + RUNNING_FREES_AFTER)).toEqual({
        kind: 'run',
        commandId: 'c1',
      });
    });

    // A charge may take longer than 30 s: the attempt that runs renews its record, so that no second one starts.
    it('A11: a record that is renewed stays running, and frees 30 s after the last renewal', async () => {
      await store.begin(record, 'f1', 'c1', T);
      await store.renew(record, T + 20_000);
      await store.renew(record, T + 40_000);
      const late = T + 40_000 + RUNNING_FREES_AFTER;
      expect(await store.begin(record, 'f1', 'c2', T + RUNNING_FREES_AFTER)).toEqual({ kind: 'running' });
      expect(await store.begin(record, 'f1', 'c2', late - 1)).toEqual({ kind: 'running' });
      expect(await store.begin(record, 'f1', 'c2', late)).toEqual({ kind: 'run', commandId: 'c1' });
    });

    // A late renewal may find an answer, a freed record, or no record.
    it('A11: a renewal changes nothing unless the record is running', async () => {
      const [kept, freed, none] = ['kept', 'freed', 'none'].map((key) => ({ ...record, key }));
      if (kept === undefined || freed === undefined || none === undefined) throw new Error('there are three');
      await Promise.all([kept, freed].map((each) => store.begin(each, 'f1', `c-${each.key}`, T)));
      await Promise.all([store.keep(kept, Buffer.from('yes'), T), store.free(freed)]);
      await Promise.all([kept, freed, none].map((each) => store.renew(each, T + 1_000)));
      expect(await store.begin(kept, 'f1', 'c9', T + ANSWER_KEPT_FOR)).toEqual({ kind: 'run', commandId: 'c9' });
      expect(await store.begin(freed, 'f1', 'c9', T + 2_000)).toEqual({ kind: 'run', commandId: 'c-freed' });
      expect(await store.begin(none, 'f1', 'c9', T + 2_000)).toEqual({ kind: 'run', commandId: 'c9' });
    });

    // After a server error the client should try again at once; what the first attempt did must stay its own.
    it('A11: a freed record runs again at once under the same command id', async () => {
      await store.begin(record, 'f1', 'c1', T);
      await store.free(record);
      expect(await store.begin(record, 'f1', 'c2', T + 1)).toEqual({ kind: 'run', commandId: 'c1' });
      expect(await store.begin(record, 'f1', 'c3', T + 2)).toEqual({ kind: 'running' });
    });

    // A slow first attempt may end after its successor, whose answer the client already has.
    it('A11: the answer stored first stays, whatever a slow first attempt does', async () => {
      await store.begin(record, 'f1', 'c1', T);
      await store.begin(record, 'f1', 'c2', T + RUNNING_FREES_AFTER);
      await store.keep(record, Buffer.from('second'), T + RUNNING_FREES_AFTER);
      await store.keep(record, Buffer.from('first'), T + RUNNING_FREES_AFTER + 1);
      await store.free(record);
      const begun = await store.begin(record, 'f1', 'c3', T + RUNNING_FREES_AFTER + 2);
      expect(begun).toEqual({ kind: 'kept', answer: Buffer.from('second') });
    });

    // The 24 hours begin with the answer, not with the request; after that any request may use the key again.
    it('A11: an answer is stored for 24 h', async () => {
      await store.begin(record, 'f1', 'c1', T);
      await store.keep(record, Buffer.from('yes'), T + 20_000);
      const end = T + 20_000 + ANSWER_KEPT_FOR;
      expect(await store.begin(record, 'f1', 'c2', end - 1)).toEqual({ kind: 'kept', answer: Buffer.from('yes') });
      expect(await store.begin(record, 'f2', 'c3', end)).toEqual({ kind: 'run', commandId: 'c3' });
      expect(await store.begin(record, 'f2', 'c4', end + 1)).toEqual({ kind: 'running' });
    });

    // Cleaning up must delete only expired records, however many requests arrive meanwhile.
    it('A11: cleaning up never deletes a record that still counts', async () => {
      const name = (index: number) => ({ credential: 'partner:acme', key: `order-${index}` });
      const indexes = Array.from({ length: 400 }, (_, index) => index);
      await Promise.all(indexes.map((index) => store.begin(name(index), 'f1', `c${index}`, T)));
      await Promise.all(
        indexes.map((index) => store.keep(name(index), Buffer.from(`yes ${index}`), index % 2 === 0 ? T : T + 60_000)),
      );
      const later = T + ANSWER_KEPT_FOR + 1;
      const newcomers = indexes.map((index) => store.begin(name(1000 + index), 'f1', 'c', later));
      expect((await Promise.all(newcomers)).every(({ kind }) => kind === 'run')).toBe(true);
      const again = await Promise.all(indexes.map((index) => store.begin(name(index), 'f1', 'new', later)));
      expect(again).toEqual(
        indexes.map((index) =>
          index % 2 === 0 ? { kind: 'run', commandId: 'new' } : { kind: 'kept', answer: Buffer.from(`yes ${index}`) },
        ),
      );
    });

    // "Running" is on disk before the decision and the answer before it is sent: a restart knows both.
    it('A11: records survive a restart', async () => {
      const freed = { credential: 'partner:acme', key: 'freed' };
      const kept = { credential: 'partner:acme', key: 'kept' };
      await Promise.all([record, freed, kept].map((each) => store.begin(each, 'f1', `c-${each.key}`, T)));
      await Promise.all([store.free(freed), store.keep(kept, Buffer.from('yes'), T)]);
      const reopened = (await subject.reopen()).records;
      expect(await reopened.begin(record, 'f1', 'c9', T + 1)).toEqual({ kind: 'running' });
      expect(await reopened.begin(freed, 'f1', 'c9', T + 1)).toEqual({ kind: 'run', commandId: 'c-freed' });
      expect(await reopened.begin(kept, 'f1', 'c9', T + 1)).toEqual({ kind: 'kept', answer: Buffer.from('yes') });
      expect(await reopened.begin(record, 'f1', 'c9', T + RUNNING_FREES_AFTER)).toEqual({
        kind: 'run',
        commandId: 'c-order-1',
      });
    });

    // The partner must not sell twice because we have forgotten somebody, and nothing of them may come back.
    it('G12.1: a kept answer loses its bytes with the person whom it shows, and its record stays', async () => {
      const { keys } = subject.store;
      const [other, none] = [
        { credential: 'partner:acme', key: 'of-bob' },
        { credential: 'partner:acme', key: 'of-nobody' },
      ];
      for (const each of [record, other, none]) await store.begin(each, 'f1', 'c1', T);
      await keys.obtain('ann');
      await store.keep(record, Buffer.from('Ann'), T, 'ann');
      await store.keep(other, Buffer.from('Bob'), T, 'bob');
      await store.keep(none, Buffer.from('nobody'), T);
      await keys.destroy('ann');
      expect(await store.erase('ann')).toBe(1);
      expect(await store.erase('ann')).toBe(0);
      const reopened = (await subject.reopen()).records;
      expect(await reopened.begin(record, 'f1', 'c2', T + 1)).toEqual({ kind: 'erased' });
      expect(await reopened.begin(record, 'f2', 'c2', T + 1)).toEqual({ kind: 'different' });
      expect(await reopened.begin(other, 'f1', 'c2', T + 1)).toEqual({ kind: 'kept', answer: Buffer.from('Bob') });
      expect(await reopened.begin(none, 'f1', 'c2', T + 1)).toEqual({ kind: 'kept', answer: Buffer.from('nobody') });
      expect(await reopened.begin(record, 'f1', 'c2', T + ANSWER_KEPT_FOR)).toEqual({ kind: 'run', commandId: 'c2' });
    });

    // A request that has opened the person's data before their key was destroyed ends after it.
    it('G12.1: an answer that comes after the person was erased is not kept', async () => {
      const { keys } = subject.store;
      await store.begin(record, 'f1', 'c1', T);
      await keys.destroy('ann');
      await store.erase('ann');
      await store.keep(record, Buffer.from('Ann'), T + 1, 'ann');
      expect(await store.begin(record, 'f1', 'c2', T + 2)).toEqual({ kind: 'erased' });
      await store.free(record);
      await store.renew(record, T + 3);
      await store.keep(record, Buffer.from('later'), T + 3);
      expect(await store.begin(record, 'f1', 'c3', T + 4)).toEqual({ kind: 'erased' });
    });
  });
}
