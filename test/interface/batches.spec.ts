import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { utcTime } from '#kernel';
import { timeOf } from '../support/buying.js';
import { RunningService, type Answer, type Json, type TestPartner } from '../support/running-service.js';

const BATCHES = '/v1/targeted_email/batches';
const DAY = 86_400_000;

const problems = ({ status, body }: Answer): readonly unknown[] => [
  status,
  body.error_type,
  ...(body.errors ?? []).map(({ type, field, message, resource }: Json) => `${type} ${resource}.${field} ${message}`),
];
const refused = (...entries: readonly string[]): readonly unknown[] => [422, 'validation_failed', ...entries];
const TAKEN = refused('invalid batch.user_ids are all already scheduled for that day');

describe('targeted-email batches', () => {
  let service: RunningService;
  let acme: TestPartner;
  let rival: TestPartner;
  let midnight: number;

  beforeAll(async () => {
    service = await RunningService.start();
    acme = await service.newPartner('acme');
    rival = await service.newPartner('rival');
    for (const slug of ['spa', 'boat', 'paused']) await service.newDeal(slug);
    await service.operate('POST', '/deals/paused/transitions', { to: 'paused' });
    midnight = (Math.floor((await timeOf(service)) / DAY) + 1) * DAY;
  });
  afterAll(() => service.discard());

  let users = 0;
  const newUser = (key = acme.key): Promise<string> => service.newUser(key, `user-${(users += 1)}@example.org`);
  /** Tomorrow at noon, or some hours from its first midnight. */
  const tomorrow = (hours = 12): string => utcTime(midnight + hours * 3_600_000);
  const create = (body: object = {}, key = acme.key): Promise<Answer> =>
    service.ask('POST', BATCHES, {
      key,
      body: { deal_id: 'spa', mode: 'suppress', send_at: tomorrow(), ...body },
    });
  const guarded = (method: 'GET' | 'DELETE', id: string, deal_id?: string, key = acme.key): Promise<Answer> =>
    service.ask(method, `${BATCHES}/${id}${deal_id === undefined ? '' : `?deal_id=${deal_id}`}`, { key });
  const made = async (user_ids: readonly string[], body: object = {}): Promise<Json> => {
    const answer = await create({ user_ids, ...body });
    expect([answer.status, answer.body.batch?.user_ids]).toEqual([201, user_ids]);
    return answer.body.batch;
  };

  it('4.14.1, 4.14.2, 4.14.3, 3.5.1, 3.5.2, 4.14, 2.13, 3.5, A8, A9, B8: a batch is created, shown and cancelled, and its users are free again', async () => {
    const user_ids = [await newUser(), await newUser()];
    const answer = await create({ user_ids });
    const { id } = answer.body.batch;
    expect(id).toMatch(/^[0-9a-f]{32}$/);
    const shown = (status: string): string =>
      `{"status":"success","batch":${JSON.stringify({ send_at: tomorrow(), deal_id: 'spa', status, user_ids, mode: 'suppress', id })}}`;
    expect([answer.status, answer.text]).toEqual([201, shown('pending')]);
    const found = await guarded('GET', id, 'spa');
    expect([found.status, found.text]).toEqual([200, shown('pending')]);
    expect(problems(await create({ user_ids }))).toEqual(TAKEN);
    for (let time = 1; time <= 2; time += 1) {
      const cancelled = await guarded('DELETE', id, 'spa');
      expect([cancelled.status, cancelled.text]).toEqual([200, shown('cancelled')]);
      expect((await guarded('GET', id, 'spa')).text).toBe(shown('cancelled'));
    }
    const again = await made(user_ids, { mode: 'augment', deal_id: 'boat', send_at: tomorrow(1) });
    expect([again.mode, again.deal_id]).toEqual(['augment', 'boat']);
    // Cancelling the first one once more must not free the users of the second.
    await guarded('DELETE', id, 'spa');
    expect(problems(await create({ user_ids }))).toEqual(TAKEN);
  });

  it('4.14.4, 7.4.12, 4.14, F3, A5: ids that name nobody, hidden users, others’ users and users of another batch are dropped', async () => {
    const [ann, bob, hidden, theirs] = [await newUser(), await newUser(), await newUser(), await newUser(rival.key)];
    await service.ask('PUT', `/users/${hidden}`, { key: acme.key, body: { is_deleted: true } });
    await made([bob]);
    const answer = await create({ user_ids: [hidden, ann, 'nobody', theirs, ann, bob, '', 7] });
    expect([answer.status, answer.body.batch.user_ids]).toEqual([201, [ann]]);
    const none = refused('invalid batch.user_ids are all invalid');
    for (const user_ids of [[theirs], ['nobody'], [hidden], ['nobody', ann], { id: ann }]) {
      expect(problems(await create({ user_ids }))).toEqual(none);
    }
    // The rival may still write to its own user, and another day has its own schedule.
    expect((await create({ user_ids: [theirs] }, rival.key)).status).toBe(201);
  });

  it('7.4.5, 7.4.6, 7.4.7, 7.4.8, 7.4.11, 7.4.12, 7.4.13, 7.4.14, 7.4.15, 8.6, 7.4, F1: one answer names every fault', async () => {
    const user = await newUser();
    const full = { deal_id: 'spa', user_ids: [user], mode: 'augment', send_at: tomorrow() };
    const nothing = { deal_id: undefined, mode: undefined, send_at: undefined };
    const cases: readonly (readonly [object, ...string[]])[] = [
      [
        nothing,
        'missing_field batch.deal_id is required',
        'missing_field batch.send_at is required',
        'missing_field batch.user_ids is required',
        'missing_field batch.mode is required',
      ],
      [
        { deal_id: 'none', user_ids: ['nobody'], mode: 'shout', send_at: tomorrow(36) },
        'not_found batch.deal_id unknown deal',
        'invalid batch.send_at must be tomorrow',
        'invalid batch.user_ids are all invalid',
        'invalid batch.mode must be either (suppress or augment)',
      ],
      [{ ...full, deal_id: 'paused' }, "invalid batch.deal_id deal's status must be in-flight or approved"],
      [{ ...full, send_at: 'soon' }, 'invalid batch.send_at must be tomorrow'],
      [{ ...full, send_at: tomorrow(0) }, 'invalid batch.send_at must be tomorrow'],
      [{ ...full, send_at: tomorrow(24) }, 'invalid batch.send_at must be tomorrow'],
      [{ ...full, user_ids: Array<string>(1_001).fill(user) }, 'invalid batch.user_ids must be at most 1000'],
    ];
    for (const [body, ...entries] of cases) expect(problems(await create(body))).toEqual(refused(...entries));
    // Nothing of all that was stored.
    await made([user]);
    expect(problems(await create({ ...full, mode: 'shout' }))).toEqual(
      refused(...TAKEN.slice(2).map(String), 'invalid batch.mode must be either (suppress or augment)'),
    );
  });

  it('7.4.9, 7.4.10, 7.4: the deal must be on sale at the time of the mail', async () => {
    const user_ids = [await newUser()];
    await service.newDeal('later', { start_at: tomorrow(14), end_at: tomorrow(200) });
    await service.newDeal('earlier', { end_at: tomorrow(10) });
    expect(problems(await create({ deal_id: 'later', user_ids }))).toEqual(
      refused("invalid batch.send_at must be after deal's start time"),
    );
    expect(problems(await create({ deal_id: 'earlier', user_ids }))).toEqual(
      refused("invalid batch.send_at must be before deal's end time"),
    );
    await made(user_ids, { deal_id: 'later', send_at: tomorrow(15) });
  });

  it('7.4.1, 7.4.2, 7.4.3, 7.4, F1, A5: the guard names the batch’s deal, and an unknown batch is 404', async () => {
    const { id } = await made([await newUser()]);
    for (const method of ['GET', 'DELETE'] as const) {
      const guards: readonly (readonly [string | undefined, string])[] = [
        [undefined, 'missing_field batch.deal_id is required'],
        ['none', 'not_found batch.deal_id unknown deal'],
        ['boat', 'invalid batch.deal_id does not match this batch'],
      ];
      for (const [deal, entry] of guards) expect(problems(await guarded(method, id, deal))).toEqual(refused(entry));
      const unknown = await guarded(method, 'f'.repeat(32), 'spa');
      expect([unknown.status, unknown.body.error_type, unknown.body.error_msg]).toEqual([
        404,
        'find_failed',
        'Unable to find',
      ]);
      expect((await guarded(method, id, 'spa', rival.key)).text).toBe(unknown.text);
    }
    expect((await guarded('GET', id, 'spa')).body.batch.status).toBe('pending');
  });

  it('8.4, 8, H5, F2: a batch has up to 1000 users, with the key in the body', async () => {
    const ids: string[] = [];
    while (ids.length < 1_000) ids.push(...(await Promise.all(Array.from({ length: 100 }, () => newUser()))));
    const body = { api_key: acme.key, deal_id: 'boat', mode: 'augment', send_at: tomorrow(), user_ids: ids };
    const answer = await service.ask('POST', BATCHES, { body });
    expect([answer.status, answer.body.batch.user_ids]).toEqual([201, ids]);
  });
});
