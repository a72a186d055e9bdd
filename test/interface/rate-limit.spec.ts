import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { RunningService, type Answer, type TestPartner } from '../support/running-service.js';

/** Requests per seconds: the window is so long that none ends within a test. */
const MOST = 5;
const SECONDS = 600;

const TILL = { name: 'till', scope: 'coupon', access: 'read' };

describe('RATE_LIMIT', () => {
  let service: RunningService;
  let acme: TestPartner;
  let rival: TestPartner;

  beforeAll(async () => {
    service = await RunningService.start({ env: { RATE_LIMIT: `${MOST}/${SECONDS}`, TRUSTED_PROXIES: '127.0.0.1' } });
    acme = await service.newPartner('acme');
    rival = await service.newPartner('rival');
    await service.newDeal('lunch', { stock: null });
  });
  afterAll(() => service.discard());

  const refusal = ({ status, body, headers }: Answer): unknown => ({
    status,
    body,
    waits: Number(headers['retry-after']) > SECONDS - 60 && Number(headers['retry-after']) <= SECONDS,
    id: headers['request-id'] !== undefined,
  });
  const tooMany = {
    status: 429,
    body: { status: 'error', error_type: 'rate_limited', error_msg: expect.stringMatching(/^too many requests; /) },
    waits: true,
    id: true,
  };
  const statuses = async (count: number, ask: () => Promise<Answer>): Promise<number[]> => {
    const seen: number[] = [];
    for (let n = 0; n < count; n += 1) seen.push((await ask()).status);
    return seen;
  };
  const from = (address: string): Readonly<Record<string, string>> => ({
    'x-forwarded-for': address,
    'x-forwarded-proto': 'https',
  });

  it('A8, I11: limits all calls of a partner together, whichever of its credentials they come with', async () => {
    const owner = acme;
    const { password } = await service.operate('POST', `/partners/${owner.id}/password`);
    const second = await service.operate('POST', `/partners/${owner.id}/keys`);
    const till = await service.operate('POST', `/partners/${owner.id}/keys`, TILL);
    const deal = (): Promise<Answer> => service.ask('GET', '/deals/lunch', { key: owner.key });
    expect(await statuses(MOST - 3, deal)).toEqual([200, 200]);
    expect((await service.ask('POST', '/users', { key: second.api_key, body: {} })).status).toBe(422);
    expect((await service.ask('GET', '/api/v3/deals?fields=id', { basic: `acme:${password}` })).status).toBe(200);
    expect((await service.ask('GET', '/coupons', { key: till.api_key })).status).toBe(422);
    for (const options of [{ key: owner.key }, { key: second.api_key }, { key: till.api_key }]) {
      expect(refusal(await service.ask('GET', '/coupons', options))).toEqual(tooMany);
    }
    expect((await service.ask('GET', '/deals/lunch', { key: rival.key })).status).toBe(200);
  });

  it('A8: limits an unknown caller by their address, and by nothing else that they send', async () => {
    let n = 0;
    const guess = (): Promise<Answer> =>
      service.ask('GET', '/deals/lunch', { key: `guess-${(n += 1)}`, headers: from('192.0.2.1') });
    expect(await statuses(MOST, guess)).toEqual(Array(MOST).fill(401));
    expect(refusal(await guess())).toEqual(tooMany);
    expect(refusal(await service.ask('GET', '/C/0', { headers: from('192.0.2.1') }))).toEqual(tooMany);
    expect((await service.ask('GET', '/C/0', { headers: from('192.0.2.2') })).status).toBe(404);
    expect((await service.ask('GET', '/operators/clock', { token: 'x', headers: from('192.0.2.1') })).status).toBe(429);
    expect((await service.ask('GET', '/deals/lunch', { key: rival.key, headers: from('192.0.2.1') })).status).toBe(200);
  });

  it('A8: does not limit operators, auditors and health checks', async () => {
    const alive = (): Promise<Answer> => service.ask('GET', '/health/live', { headers: from('192.0.2.1') });
    expect(await statuses(MOST + 3, alive)).toEqual(Array(MOST + 3).fill(200));
    const clock = (): Promise<Answer> => service.ask('GET', '/operators/clock', { token: service.operatorToken });
    expect(await statuses(MOST + 3, clock)).toEqual(Array(MOST + 3).fill(200));
  });

  describe('A8: X-Forwarded-For', () => {
    const guess = (forwarded: string, at: { readonly from?: string } = {}): Promise<Answer> =>
      service.ask('GET', '/deals/lunch', { key: 'guess', headers: from(forwarded), ...at });
    const bounded = [...Array<number>(MOST).fill(401), 429, 429];

    it.each<readonly [string, (n: number) => string]>([
      ['other addresses in front of the one that the proxy saw', (n) => `203.0.113.${n}, 198.51.100.1`],
      ['many of them', (n) => `${`203.0.113.${n}, `.repeat(800)}198.51.100.2`],
      ['our own proxy in front', (n) => `203.0.113.${n}, 127.0.0.1, 198.51.100.3, 127.0.0.1`],
      ['garbage in front', (n) => `${'x'.repeat(n)}, ,;,"${n}", 198.51.100.4`],
      ['a port behind it', (n) => `198.51.100.5:${1_000 + n}`],
      ['an IPv6 address, another of its network each time', (n) => `2001:db8:1:2::${n}`],
      ['an IPv6 address in brackets, with a port', (n) => `[2001:db8:1:3::${n}]:${1_000 + n}`],
      ['an IPv4 address written as IPv6', (n) => (n % 2 === 0 ? '198.51.100.6' : '::ffff:198.51.100.6')],
      ['a zone', (n) => `fe80::1%${'z'.repeat(n)}`],
    ])('gives one address, whatever else it contains: %s', async (_, chainOf) => {
      let n = 0;
      expect(await statuses(MOST + 2, () => guess(chainOf((n += 1))))).toEqual(bounded);
    });

    it('without an address counts as one address, with different rubbish each time', async () => {
      const garbage = [
        'unknown',
        '_hidden',
        '""',
        '1.2.3',
        '1.2.3.4.5',
        '999.1.1.1',
        ':::',
        '9'.repeat(4_000),
        '<a>',
        '198.51.100.7 x',
      ];
      const seen: number[] = [];
      for (const each of garbage) seen.push((await guess(each)).status);
      expect(seen).toEqual([...Array<number>(MOST).fill(401), ...Array<number>(garbage.length - MOST).fill(429)]);
      expect(
        (await service.ask('GET', '/deals/lunch', { key: rival.key, headers: from('x'.repeat(9_000)) })).status,
      ).not.toBe(500);
    });

    it('has no effect when the sender is not one of our proxies', async () => {
      let n = 0;
      const direct = (): Promise<Answer> => guess(`203.0.113.${(n += 1)}`, { from: '127.0.0.9' });
      expect(await statuses(MOST + 2, direct)).toEqual(bounded);
    });
  });
});

describe('RATE_LIMIT of users', () => {
  let service: RunningService;
  beforeAll(async () => {
    service = await RunningService.start();
  });
  /** Starts it again, so that nothing is counted yet. */
  const again = async (): Promise<void> => {
    await service.stop();
    service = await RunningService.start({
      dataDir: service.dataDir,
      env: { RATE_LIMIT: `10/${SECONDS}` },
    });
  };
  afterAll(() => service.discard());

  it('I11, A8, A11: gives one user’s tokens a tenth, those of all users half, and what these are refused costs the partner nothing', async () => {
    const { key, id } = await service.newPartner('acme');
    await service.newDeal('lunch', { stock: null });
    const tokens: string[] = [];
    const body = { expires_in: 600, scope: 'all', access: 'read,write' };
    for (let n = 0; n < 6; n += 1) {
      const user = await service.newUser(key, `user-${n}@example.com`);
      for (let twice = 0; twice < 2; twice += 1) {
        const answer = await service.ask('POST', `/users/${user}/access_tokens`, { key, body });
        tokens.push(answer.body.access_token.id);
      }
    }
    await again();
    const seen: number[] = [];
    for (const token of tokens) seen.push((await service.ask('GET', '/deals/lunch', { token })).status);
    expect(seen).toEqual([...Array<number[]>(5).fill([200, 429]).flat(), 429, 429]);
    const { api_key: second } = await service.operate('POST', `/partners/${id}/keys`);
    const deals = async (by: string): Promise<number> => (await service.ask('GET', '/deals/lunch', { key: by })).status;
    const own: number[] = [];
    for (let n = 0; n < 6; n += 1) own.push(await deals(n % 2 === 0 ? key : second));
    expect(own).toEqual([200, 200, 200, 200, 200, 429]);
    // A refusal is not kept for repeats.
    const reserve = (by: string): Promise<Answer> =>
      service.ask('POST', '/purchases/reserve', {
        key: by,
        body: { deal_id: 'lunch', num_bought: 1 },
        headers: { 'idempotency-key': 'k' },
      });
    expect((await reserve(key)).status).toBe(429);
    await again();
    const first = await reserve(key);
    expect([first.status, (await reserve(second)).text]).toEqual([200, first.text]);
  });
});
