import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { utcTime } from '#kernel';
import { timeOf } from '../support/buying.js';
import { RunningService, type Answer, type Json, type TestPartner } from '../support/running-service.js';

const BATCHES = '/v1/targeted_email/batches';
const DAY = 86_400_000;

describe('A5.1: the batches of a partner', () => {
  let service: RunningService;
  let acme: TestPartner;
  let rival: TestPartner;
  /** In the order in which they were made. */
  const made: Json[] = [];

  beforeAll(async () => {
    service = await RunningService.start({ env: { TIMERS: 'false' } });
    [acme, rival] = [await service.newPartner('acme'), await service.newPartner('rival')];
    for (const slug of ['spa', 'boat']) await service.newDeal(slug);
    const midnight = (Math.floor((await timeOf(service)) / DAY) + 1) * DAY;
    const create = async (key: string, deal_id: string): Promise<Json> => {
      const user_ids = [await service.newUser(key, `user-${made.length}@example.org`)];
      const body = { deal_id, user_ids, mode: 'augment', send_at: utcTime(midnight + DAY / 2) };
      const answer = await service.ask('POST', BATCHES, { key, body });
      expect(answer.status).toBe(201);
      await service.forward(1);
      return answer.body.batch;
    };
    for (const slug of ['spa', 'boat', 'spa']) made.push(await create(acme.key, slug));
    await create(rival.key, 'spa');
    await service.ask('DELETE', `${BATCHES}/${made[0].id}?deal_id=spa`, { key: acme.key });
    made[0].status = 'cancelled';
  });
  afterAll(() => service.discard());

  const list = (query = '', key = acme.key): Promise<Answer> => service.ask('GET', `${BATCHES}?${query}`, { key });

  it('are listed newest first, in the shape of one, and none of another partner', async () => {
    const { text } = await list();
    expect(text).toBe(`{"status":"success","batches":${JSON.stringify(made.toReversed())}}`);
    expect((await service.ask('GET', '/targeted_email/batches.json', { key: acme.key })).text).toBe(text);
    const theirs = (await list('', rival.key)).body.batches;
    expect(theirs).toHaveLength(1);
    expect(made.map(({ id }) => id)).not.toContain(theirs[0].id);
    expect((await list('per_page=2&page=2')).body.batches).toEqual([made[0]]);
    expect((await list('count=true')).body).toEqual({ status: 'success', count: 3 });
  });

  it.each<[string, number[]]>([
    ['deal_id=spa', [2, 0]],
    ['deal_id=none', []],
    ['status=pending', [2, 1]],
    ['status=cancelled', [0]],
    ['status=processed', []],
    ['deal_id=boat&status=cancelled', []],
    ['deal_id=spa&status=pending', [2]],
    ['deal_id=&status=', [2, 1, 0]],
  ])('are narrowed by %s', async (query, expected) => {
    const { body } = await list(query);
    expect(body.batches).toEqual(expected.map((nth): Json => made[nth]));
    expect((await list(`${query}&count=true`)).body.count).toBe(expected.length);
  });

  it('a wrong parameter is named', async () => {
    const { status, body } = await list('deal_id[]=a&status=sent&page=0');
    expect([status, body.errors.map(({ field }: Json) => field)]).toEqual([422, ['deal_id', 'status', 'page']]);
    expect(body.errors[1]).toMatchObject({
      type: 'invalid',
      resource: 'batch',
      message: expect.stringContaining('must be one of pending'),
    });
  });
});
