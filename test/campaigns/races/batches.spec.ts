import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DAY, idOf, utcTime } from '#kernel';
import { moveTo, timeOf } from '../../support/buying.js';
import { eventsOf } from '../../support/data-folder.js';
import { discardLeftovers, RunningService, type Answer, type TestPartner } from '../../support/running-service.js';
import { usersByDay } from '../../support/schedules.js';
import { patience, size, tell } from '../size.js';

const ROUNDS = size('RACES', 16);
/** Users of a partner's day (interface 8). */
const MOST = 10_000;
const TOGETHER = 20;
/** Users of each of the batches that fill the day: 19 of the 20 fit. */
const USERS = 512;
/** Users of each of the batches that fill up the rest: 16 of the 20 fit, without a place left. */
const FEW = 17;
/** The most milliseconds that a batch comes after a cancellation that it races with. */
const BEHIND = 8;
const BATCHES = '/v1/targeted_email/batches';

const TAKEN = 'are all already scheduled for that day';
const FULL = 'are too many for that day';

/** How the users of two rivals in a round are related, by the numbers of the round's users. */
const RIVALS: readonly (readonly [words: string, one: readonly number[], other: readonly number[]])[] = [
  ['the same', [0, 1, 2, 3, 4, 5], [0, 1, 2, 3, 4, 5]],
  ['the same in reverse', [0, 1, 2, 3, 4, 5], [5, 4, 3, 2, 1, 0]],
  ['some in common', [0, 1, 2, 3], [2, 3, 4, 5]],
  ['all of the other', [0, 1, 2, 3, 4, 5], [3]],
];

describe('batches race for the users of a day over HTTP', () => {
  let service: RunningService;
  let send_at: string;
  let racer: TestPartner;

  beforeAll(async () => {
    service = await RunningService.start();
    // Early in a day: otherwise it could end in the middle of a race.
    const tomorrow = (Math.floor((await timeOf(service)) / DAY) + 1) * DAY;
    await moveTo(service, tomorrow + DAY / 24);
    send_at = utcTime(tomorrow + 1.5 * DAY);
    racer = await service.newPartner('racer');
    for (const slug of ['spa', 'boat']) await service.newDeal(slug);
  });
  afterAll(discardLeftovers);

  const create = (key: string, user_ids: readonly string[], deal_id = 'spa'): Promise<Answer> =>
    service.ask('POST', BATCHES, { key, body: { deal_id, user_ids, mode: 'augment', send_at } });

  /** The users of the batch; none if it was refused with these words. */
  function scheduled({ status, text, body }: Answer, refusal: string): readonly string[] {
    if (status === 201) return body.batch.user_ids;
    const [entry] = body.errors ?? [];
    if (status !== 422 || body.errors.length !== 1 || entry.message !== refusal) throw new Error(`${status} ${text}`);
    return [];
  }

  async function cancel(key: string, { status, body }: Answer): Promise<void> {
    if (status !== 201) return;
    const { id, deal_id } = body.batch;
    const answer = await service.ask('DELETE', `${BATCHES}/${id}?deal_id=${deal_id}`, { key });
    expect([answer.status, answer.body.batch?.status]).toEqual([200, 'cancelled']);
  }

  it(
    `4.14 F3: of two batches for the same users and day, in ${ROUNDS} rounds, each user is in one; also while a third is cancelled`,
    async () => {
      const { key } = racer;
      const users = await Promise.all(
        Array.from({ length: 6 }, (_, index) => service.newUser(key, `user-${index}@example.org`)),
      );
      const of = (numbers: readonly number[]): string[] => numbers.map((index) => users[index] ?? '');
      const outcomes = new Map<string, number>();
      for (let round = 0; round < ROUNDS; round += 1) {
        const [words, one, other] = RIVALS[round % RIVALS.length] ?? ['', [], []];
        // In every third round a batch has all users, and is cancelled while the two come.
        const first = round % 3 === 2 ? await create(key, users) : undefined;
        const calls = [() => create(key, of(one)), () => create(key, of(other), round % 2 === 0 ? 'spa' : 'boat')];
        if (round % 2 === 1) calls.reverse();
        const [, ...answers] = await Promise.all([
          first === undefined ? undefined : cancel(key, first),
          ...calls.map(async (call) => {
            if (first !== undefined) await pause(Math.random() * BEHIND);
            return call();
          }),
        ]);
        const got = answers.flatMap((answer) => scheduled(answer, TAKEN));
        expect(new Set(got).size).toBe(got.length);
        // All are taken, except by those who came before the cancellation.
        if (first === undefined) expect(got.toSorted()).toEqual(of([...new Set([...one, ...other])]).sort());
        const outcome = `${first === undefined ? words : 'cancelled meanwhile'}: ${answers
          .map(({ status }) => status)
          .sort()
          .join()}`;
        outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
        for (const answer of answers) await cancel(key, answer);
      }
      tell(
        'RACES',
        [...outcomes]
          .map(([outcome, count]) => `${count} × ${outcome}`)
          .sort()
          .join('; '),
      );
    },
    patience(ROUNDS, 2_000),
  );

  it(
    `F2 F3 8: ${TOGETHER} batches at once never fill a day beyond ${MOST} users, and then exactly up to it`,
    async () => {
      const crowd = await service.newPartner('crowd');
      const users = await newUsers('crowd', crowd.id, TOGETHER * USERS);
      const groups = (of: readonly string[], each: number): readonly string[][] =>
        Array.from({ length: TOGETHER }, (_, index) => of.slice(index * each, (index + 1) * each));
      const fill = async (all: readonly (readonly string[])[]): Promise<readonly string[]> => {
        const answers = await Promise.all(all.map((some) => create(crowd.key, some)));
        return answers.flatMap((answer, index) => {
          const got = scheduled(answer, FULL);
          expect(got).toEqual(answer.status === 201 ? all[index] : []);
          return got;
        });
      };
      const many = await fill(groups(users, USERS));
      expect(many).toHaveLength(Math.floor(MOST / USERS) * USERS);
      const out = users.filter((user) => !many.includes(user));
      const few = await fill(groups(out, FEW));
      expect(many.length + few.length).toBe(MOST);
      const last = out.filter((user) => !few.includes(user));
      expect(await fill(groups(last, 1))).toEqual([]);
    },
    patience(TOGETHER, 10_000),
  );

  it('F2 F3: no user was in two batches of a day at any position of the log, and no day had more', async () => {
    await service.stop();
    const events = await eventsOf(service.dataDir);
    const days = [...usersByDay(events)];
    expect(days.map(([, at]) => at.at(-1)?.users).sort()).toEqual([0, MOST]);
    for (const [day, at] of days) expect([day, at.filter(({ users }) => users > MOST)]).toEqual([day, []]);
    const batchesIn = (type: string): string[] =>
      events
        .filter((event) => event.type === type)
        .map(({ data }) => (data as { batch_id: string }).batch_id)
        .sort();
    expect(batchesIn('batch-created.v1')).toEqual(batchesIn('users-scheduled.v1'));
    expect(batchesIn('batch-cancelled.v1')).toEqual(batchesIn('users-freed.v1'));
  });

  /** The ids of so many new users of a partner, from the log: an import answers with counts alone. */
  async function newUsers(slug: string, partner: string, count: number): Promise<readonly string[]> {
    const lines = Array.from({ length: count }, (_, index) =>
      JSON.stringify({ kind: 'user', partner: slug, email: `user-${index}@example.org` }),
    );
    // A busy log refuses lines for now. Sent again, the file makes only the users that are missing.
    for (let refused = count; refused > 0;) {
      const { body } = await service.ask('POST', '/operators/import', {
        token: service.operatorToken,
        body: lines.join('\n'),
        headers: { 'content-type': 'application/x-ndjson' },
      });
      refused = body.refused_count;
    }
    const events = await eventsOf(service.dataDir);
    return events
      .filter(
        ({ type, data }) => type === 'user-registered.v1' && (data as { partner_id: string }).partner_id === partner,
      )
      .map(({ stream }) => idOf(stream));
  }
});
