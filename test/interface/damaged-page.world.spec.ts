import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import { copyOf } from '../support/data-folder.js';
import { describeOnEmbedded } from '../support/on-embedded.js';
import {
  discardLeftovers,
  newDataDir,
  RunningService,
  type Answer,
  type Json,
  type TestPartner,
} from '../support/running-service.js';

const PAGE = 4096;
/** Fills whole pages of the log. */
const TEXT = 'spoiled by the disk '.repeat(900);

/** Later events: a view that none of them changes stores its position every 10,000. */
const MANY = 10_500;

/** A disk replaces a page with rubbish, or changes only its text: then SQLite itself finds nothing wrong. */
const DAMAGES = {
  'a page without sense': { from: 0, byte: 0xff, reason: 'database disk image is malformed', ends: ['stop'] },
  'a page with another text': {
    from: 4,
    byte: 0x22,
    reason: 'the event at position \\d+ is not JSON',
    ends: ['stop', 'kill'],
  },
} as const;

/** Damages the second page that holds only the text. */
function spoil(file: string, { from, byte }: { readonly from: number; readonly byte: number }): void {
  const content = readFileSync(file);
  const pages = Array.from({ length: content.length / PAGE }, (_, page) => page * PAGE).filter((at) => {
    const page = content.subarray(at + 4, at + PAGE).toString('latin1');
    return page.split('spoiled by the disk').length > 190;
  });
  expect(pages.length).toBeGreaterThan(2);
  const [, at = 0] = pages;
  content.fill(byte, at + from, at + PAGE);
  writeFileSync(file, content);
}

describeOnEmbedded('a damaged part of the event log that the views have already read', () => {
  let service: RunningService;
  let acme: TestPartner;
  /** A whole shop, which each case damages in its own copy. */
  const whole = newDataDir();
  beforeAll(async () => {
    service = await RunningService.start({ dataDir: whole });
    acme = await service.newPartner('acme');
    await service.newDeal('spoiled', { description1: TEXT });
    await service.newDeal('whole');
    const lines = Array.from({ length: MANY }, (_, n) =>
      JSON.stringify({ kind: 'partner', slug: `p-${n}`, name: 'P' }),
    );
    const imported = await service.ask('POST', '/operators/import', {
      token: service.operatorToken,
      body: lines.join('\n'),
      headers: { 'content-type': 'application/x-ndjson' },
    });
    expect(imported.body.changed).toBe(MANY);
    await service.look('/deals/whole', acme.key);
    await service.stop();
  });
  afterEach(() => service.discard());
  afterAll(discardLeftovers);

  const change = (slug: string): Promise<Answer> =>
    service.ask('PUT', `/operators/deals/${slug}`, { token: service.operatorToken, body: { category: 'food' } });
  const reserve = (deal_id: string): Promise<Answer> =>
    service.ask('POST', '/purchases/reserve', { key: acme.key, body: { deal_id, num_bought: 1 } });
  /** The findings of health, once there are any. */
  const found = async (): Promise<Json[]> => {
    for (let tries = 0; tries < 4_800; tries += 1) {
      const { status, body } = await service.health();
      if (body.findings.length > 0) {
        expect(status).toBe(503);
        return body.findings as Json[];
      }
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    throw new Error(`nothing is found: ${service.printed.slice(-4_000)}`);
  };
  /** The log line of the request that was answered with 503. */
  const refusedLine = async (): Promise<Json> => {
    for (let tries = 0; tries < 4_800; tries += 1) {
      const line = service.printed.split('\n').find((each) => each.includes('"error_type":"unavailable"'));
      if (line !== undefined) return JSON.parse(line);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    throw new Error(`no refused request is logged: ${service.printed.slice(-4_000)}`);
  };
  const others = async (): Promise<void> => {
    expect((await change('whole')).status).toBe(200);
    expect((await reserve('whole')).status).toBe(200);
    expect((await service.look('/deals?count=true', acme.key)).body.count).toBe(2);
    expect((await service.look('/deals/spoiled', acme.key)).body.deal.description1).toBe(TEXT);
  };

  it.each(Object.entries(DAMAGES))(
    '%s: the service refuses what needs the stream, health names it, and other calls go on; so does each later start',
    async (_, { ends, reason, ...damage }) => {
      const dataDir = copyOf(whole);
      spoil(join(dataDir, 'events.db'), damage);

      service = await RunningService.start({ dataDir });
      expect((await service.health()).status).toBe(200);
      await others();
      const { status, body } = await change('spoiled');
      expect([status, body.error_msg]).toEqual([503, 'the event log needs an operator: see /health/ready']);
      // The log of the service names the stream; the answer to the caller does not.
      expect(JSON.stringify(body)).not.toContain('deal-spoiled');
      expect(await refusedLine()).toMatchObject({ route: '/operators/deals/:slug', stream: 'deal-spoiled' });
      const [first, ...more] = await found();
      expect([first.stream, more]).toEqual(['deal-spoiled', []]);
      expect(first.message).toMatch(
        new RegExp(
          `^The events of deal-spoiled cannot be read: .*events\\.db is damaged .*${reason}.*restore the data folder from a backup`,
        ),
      );
      // Health is public: it must not show the content of the event.
      expect(JSON.stringify(first)).not.toContain('spoiled by');
      await others();
      for (const end of ends) {
        await service[end]();
        service = await RunningService.start({ dataDir, unready: true });
        expect(await found()).toEqual([first]);
        expect((await change('spoiled')).status).toBe(503);
        await others();
      }
      // A service that was never ready stops in order, too.
      await service.stop();
      expect(service.printed).toContain('"msg":"stopped"');
      expect(service.printed).not.toContain('did not start');
    },
  );
});
