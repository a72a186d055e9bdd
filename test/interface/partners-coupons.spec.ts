import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { buy } from '../support/buying.js';
import {
  RunningService,
  type Answer,
  type AskOptions,
  type Json,
  type TestPartner,
} from '../support/running-service.js';

const NONE = '{"status":"success","coupons":[]}';

describe('A5.1, I8: the coupons of a partner, by what they show', () => {
  let service: RunningService;
  let acme: TestPartner;
  let rival: TestPartner;
  let ann: string;
  let coded: Json;
  let plain: Json;
  let theirs: Json;

  beforeAll(async () => {
    service = await RunningService.start();
    [acme, rival] = [await service.newPartner('acme'), await service.newPartner('rival')];
    ann = await service.newUser(acme.key, 'ann@example.com');
    await service.newDeal('coded', { redemption_code_pool: ['CAFÉ-7'], stock: 1 });
    await service.newDeal('plain');
    [coded] = (await buy(service, acme.key, 'coded', ann)).coupons;
    [plain] = (await buy(service, acme.key, 'plain', ann)).coupons;
    [theirs] = (await buy(service, rival.key, 'plain', await service.newUser(rival.key, 'r@example.com'))).coupons;
  });
  afterAll(() => service.discard());

  const list = (query: Readonly<Record<string, string>>, options: AskOptions = { key: acme.key }): Promise<Answer> =>
    service.ask('GET', `/coupons?${new URLSearchParams(query).toString()}`, options);
  const ids = async (query: Readonly<Record<string, string>>, options?: AskOptions): Promise<string[]> => {
    const answer = await list(query, options);
    expect([query, answer.status]).toEqual([query, 200]);
    return answer.body.coupons.map(({ id }: Json) => id);
  };
  const printed = ({ barcode }: Json): string => String(barcode).replace(/(.{4})(.{4})/, '$1 $2-');

  it('a barcode finds its coupon, as it is printed too, in the shape of the user’s list', async () => {
    const answer = await list({ barcode: plain.barcode });
    expect(answer.text).toBe(`{"status":"success","coupons":[${JSON.stringify(plain)}]}`);
    expect(await ids({ barcode: printed(plain) })).toEqual([plain.id]);
    expect((await list({ barcode: plain.barcode, count: 'true' })).body).toEqual({ status: 'success', count: 1 });
    expect(await ids({ barcode: plain.barcode, page: '2' })).toEqual([]);
    expect(await ids({ barcode: plain.barcode, filter: 'valid' })).toEqual([plain.id]);
    expect(await ids({ barcode: plain.barcode, filter: 'redeemed' })).toEqual([]);
  });

  it('a code finds its coupon, and both together only what has both', async () => {
    expect(coded.redemption_code).toBe('CAFÉ-7');
    expect(await ids({ redemption_code: 'CAFÉ-7' })).toEqual([coded.id]);
    expect(await ids({ redemption_code: 'CAFÉ-7'.normalize('NFD') })).toEqual([coded.id]);
    expect(await ids({ redemption_code: 'CAFÉ-7', barcode: coded.barcode })).toEqual([coded.id]);
    expect(await ids({ redemption_code: 'CAFÉ-7', barcode: plain.barcode })).toEqual([]);
    expect(await ids({ redemption_code: 'café-7' })).toEqual([]);
  });

  it('another partner’s coupon is like one that does not exist', async () => {
    const [known, unknown] = [await list({ barcode: theirs.barcode }), await list({ barcode: '000000000000' })];
    expect([known.status, known.text, unknown.text]).toEqual([200, NONE, NONE]);
    expect((await list({ redemption_code: 'CAFÉ-7' }, { key: rival.key })).text).toBe(NONE);
    const foreign = await list({ barcode: plain.barcode, user_id: ann }, { key: rival.key });
    const nobody = await list({ barcode: plain.barcode, user_id: '0'.repeat(32) }, { key: rival.key });
    expect([foreign.status, foreign.text]).toEqual([422, nobody.text]);
  });

  it('with a user or a token they narrow the user’s own list', async () => {
    const bob = await service.newUser(acme.key, 'bob@example.com');
    const token = async (user: string): Promise<AskOptions> => {
      const body = { expires_in: 600, scope: 'coupon', access: 'read' };
      const issued = await service.ask('POST', `/users/${user}/access_tokens`, { key: acme.key, body });
      return { token: issued.body.access_token.id };
    };
    expect(await ids({ user_id: ann, barcode: printed(plain) })).toEqual([plain.id]);
    expect(await ids({ user_id: bob, barcode: plain.barcode })).toEqual([]);
    expect(await ids({ barcode: plain.barcode }, await token(ann))).toEqual([plain.id]);
    expect(await ids({ redemption_code: 'CAFÉ-7' }, await token(bob))).toEqual([]);
    const inPath = await service.ask('GET', `/users/${ann}/coupons?redemption_code=CAF%C3%89-7`, { key: acme.key });
    expect(inPath.body.coupons.map(({ id }: Json) => id)).toEqual([coded.id]);
  });

  it('names what is missing, and what is wrong', async () => {
    const missing = [{ type: 'missing_field', message: 'is missing', field: 'user_id', resource: 'coupon' }];
    for (const query of [
      {},
      { barcode: '', redemption_code: '' },
      { filter: 'valid' },
      { user_id: '', barcode: plain.barcode },
    ]) {
      const answer = await list(query as Record<string, string>);
      expect([query, answer.status, answer.body.errors]).toEqual([query, 422, missing]);
    }
    const wrong = await list({ barcode: '12345', redemption_code: 'x'.repeat(101), filter: 'sold', page: '0' });
    expect(wrong.status).toBe(422);
    expect(wrong.body.errors.map(({ field, message }: Json) => [field, message])).toEqual([
      ['page', expect.stringContaining('must be an integer')],
      ['filter', expect.stringContaining('must be one of')],
      ['barcode', 'must be the 12 digits of a barcode'],
      ['redemption_code', 'must have at most 100 characters'],
    ]);
  });

  it.each(['barcode', 'redemption_code'])('a till finds none by guessing: %s', async (name) => {
    const { api_key } = await service.operate('POST', `/partners/${acme.id}/keys`, {
      name: `till that guesses a ${name}`,
      scope: 'coupon',
      access: 'read',
    });
    const till = { key: String(api_key) };
    const known = { [name]: String(coded[name]) };
    for (let each = 0; each < 3; each += 1) expect(await ids(known, till)).toEqual([coded.id]);
    const guesses = Array.from({ length: 120 }, (_, each) => ({ [name]: String(each).padStart(12, '0') }));
    const guessed = await Promise.all(guesses.map((guess) => list(guess, till)));
    expect(guessed.filter(({ status }) => status === 200)).toHaveLength(100);
    const late = await list(known, till);
    expect([late.status, late.body.error_type]).toEqual([429, 'rate_limited']);
    expect(Number(late.headers['retry-after'])).toBeLessThanOrEqual(60);
    // It counts together with what a path names.
    expect((await service.ask('GET', `/coupons/${plain.barcode}`, till)).status).toBe(429);
    expect((await service.ask('GET', `/coupons/${plain.id}`, till)).status).toBe(200);
    expect((await list({ user_id: ann }, till)).status).toBe(200);
    expect(await ids(known)).toEqual([coded.id]);
  });
});
