import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { CREDENTIAL_PARAMETERS } from '#http';
import { createHttpApp, openService, readConfig, realSurroundings } from '#platform';
import { thisMachine } from '#adapters/machine';
import { eventsOf, remove } from '../support/data-folder.js';
import { describeOnEmbedded } from '../support/on-embedded.js';
import { newDataDir, RunningService } from '../support/running-service.js';

/** A credential that nobody has invented yet. */
const INVENTED = 'door_code';
const SECRET = 'open-sesame-4711';

describeOnEmbedded('A4, H2: an invented credential in the list of credential parameters', () => {
  const dataDir = newDataDir();
  let key: string;
  let service: Awaited<ReturnType<typeof openService>>;
  let app: Awaited<ReturnType<typeof createHttpApp>>;
  let printed = '';

  beforeAll(async () => {
    const before = await RunningService.start({ dataDir });
    ({ key } = await before.newPartner('acme'));
    await before.newDeal('lunch');
    await before.newDeal('supper');
    await before.stop();
    const config = readConfig({ DATA_DIR: dataDir });
    const logger = pino({ level: 'debug' }, { write: (line: string) => void (printed += line) });
    service = await openService(config, logger, realSurroundings(thisMachine));
    service.initialized = true;
    service.publicUrl.href = 'http://127.0.0.1';
    app = await createHttpApp(service, logger, config);
    while ((await app.inject('/health/ready')).statusCode !== 200) await pause(20);
    (CREDENTIAL_PARAMETERS as Set<string>).add(INVENTED);
  });
  afterAll(async () => {
    (CREDENTIAL_PARAMETERS as Set<string>).delete(INVENTED);
    await app.close();
    await service.close();
    remove(dataDir);
  });

  const ask = (method: 'GET' | 'POST', url: string, idempotencyKey?: string) =>
    app.inject({
      method,
      url,
      headers: { 'x-api-key': key, ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }) },
    });

  it.each(['/v1/deals', '/regions/testland/deals'])(
    '%s accepts it, and leaves it out of the next page',
    async (path) => {
      const answer = await ask('GET', `${path}?per_page=1&${INVENTED}=${SECRET}`);
      expect(answer.statusCode).toBe(200);
      expect(answer.json<{ next_page: string }>().next_page).toBe(`http://127.0.0.1${path}?per_page=1&page=2`);
      expect(answer.body).not.toContain(SECRET);
    },
  );

  it('C3: a list refuses every other name, also that of a credential to come', async () => {
    expect((await ask('GET', `/v1/deals?${INVENTED}s=x`)).statusCode).toBe(404);
    (CREDENTIAL_PARAMETERS as Set<string>).delete(INVENTED);
    expect((await ask('GET', `/v1/deals?${INVENTED}=x`)).statusCode).toBe(404);
    (CREDENTIAL_PARAMETERS as Set<string>).add(INVENTED);
  });

  it('A11: no fingerprint has it: a repeat may come with another one', async () => {
    const path = `/purchases/reserve?deal_id=lunch&num_bought=1&${INVENTED}=`;
    const first = await ask('POST', `${path}${SECRET}`, 'one');
    const again = await ask('POST', `${path}another`, 'one');
    expect([first.statusCode, again.body, again.headers['idempotency-replayed']]).toEqual([200, first.body, 'true']);
  });

  it('neither the log of the process nor the log of events has it', async () => {
    expect(printed).toContain('"route":"/purchases/reserve"');
    expect(printed).not.toContain(SECRET);
    const events = (await eventsOf(dataDir)).map(({ data, metadata }) => ({ data, metadata }));
    expect(events.length).toBeGreaterThan(5);
    expect(JSON.stringify(events)).not.toContain(SECRET);
  });
});
