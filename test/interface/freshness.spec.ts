import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { buy, reserve } from '../support/buying.js';
import { itOnEmbedded } from '../support/on-embedded.js';
import { RunningService, type Json, type TestPartner } from '../support/running-service.js';

describe('reading what was written', () => {
  let service: RunningService;
  let acme: TestPartner;
  let ann: string;

  beforeAll(async () => {
    service = await RunningService.start();
    acme = await service.newPartner('acme');
    ann = await service.newUser(acme.key, 'ann@example.com');
    await service.newDeal('lunch', { stock: null });
  });
  afterAll(() => service.discard());

  it('4.6: a partner sees its own writes at once, in every list', async () => {
    const bob = await service.newUser(acme.key, 'bob@example.com');
    for (let n = 1; n <= 25; n += 1) {
      const { id, coupons } = await buy(service, acme.key, 'lunch', bob);
      expect((await service.ask('GET', `/purchases/${id}`, { key: acme.key })).status).toBe(200);
      const { body } = await service.ask('GET', `/users/${bob}/purchases?count=true`, { key: acme.key });
      expect(body.count).toBe(n);
      const listed = await service.ask('GET', `/users/${bob}/coupons`, { key: acme.key });
      expect(listed.body.coupons.map((coupon: Json) => coupon.id)).toContain(coupons[0].id);
    }
  });

  it("4.4 G4: a partner sees an operator's change at once, even in the list of a region", async () => {
    for (let n = 1; n <= 25; n += 1) {
      await service.newDeal(`fresh-${n}`, { stock: 1 });
      const { body } = await service.ask('GET', '/regions/testland/deals?per_page=1000', { key: acme.key });
      expect(body.deals.map(({ id }: Json) => id)).toContain(`fresh-${n}`);
    }
  });

  it('a write returns its position; a read with it sees the write, whoever wrote', async () => {
    const rival = await service.newPartner('rival');
    for (let n = 0; n < 25; n += 1) {
      const before: number = (await service.look('/deals/lunch', rival.key)).body.deal.number_sold;
      const held = await reserve(service, acme.key, 'lunch');
      const sold = await service.ask('PUT', `/purchases/${held.id}/claim`, { key: acme.key, body: { user_id: ann } });
      const position = sold.headers['holdfast-position'] ?? '';
      expect(position).toMatch(/^\d+$/);
      const seen = await service.ask('GET', '/deals/lunch', {
        key: rival.key,
        headers: { 'holdfast-position': position },
      });
      expect(seen.body.deal.number_sold).toBe(before + 1);
    }
  });

  itOnEmbedded(
    'A8: a read with a position that no view has reached waits for it, and is 503 when it does not come',
    async () => {
      const views = join(service.dataDir, 'views');
      const locks = readdirSync(views)
        .filter((file) => file.endsWith('.db'))
        .map((file) => new DatabaseSync(join(views, file)));
      const headers = { 'holdfast-position': '' };
      try {
        for (const lock of locks) lock.exec('BEGIN IMMEDIATE');
        const body = { deal_id: 'lunch', num_bought: 1 };
        const written = await service.ask('POST', '/purchases/reserve', { key: acme.key, body });
        headers['holdfast-position'] = written.headers['holdfast-position'] ?? '';
        const read = await service.ask('GET', '/deals/lunch', { key: acme.key, headers });
        expect([read.status, read.text]).toEqual([503, expect.stringMatching(/the view \w+ is \d+ positions behind/)]);
      } finally {
        for (const lock of locks) lock.close();
      }
      const read = await service.ask('GET', '/deals/lunch', { key: acme.key, headers });
      expect(read.status).toBe(200);
    },
  );

  it('A8: a call with a position beyond the log is refused, and does not learn how long the log is', async () => {
    const calls = [
      ['GET', '/deals'],
      ['GET', `/users/${ann}`],
      ['POST', '/purchases/reserve'],
    ] as const;
    for (const ahead of ['9999999999999999', '9223372036854775808']) {
      for (const [method, path] of calls) {
        const answer = await service.ask(method, path, { key: acme.key, headers: { 'holdfast-position': ahead } });
        expect([answer.status, answer.text]).toEqual([
          422,
          '{"status":"error","error_type":"validation_failed","error_msg":"Holdfast-Position is ahead of the log: send the value from an earlier answer"}',
        ]);
      }
    }
    for (const position of ['x', '-1', '', '1e9']) {
      const read = await service.ask('GET', '/deals', { key: acme.key, headers: { 'holdfast-position': position } });
      expect(read.status).toBe(200);
    }
  });
});
