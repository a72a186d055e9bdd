import { copyFileSync, mkdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, expect, it } from '@jest/globals';
import { buyFull, cardOf, GOOD_CARD } from '../support/cards.js';
import { copyOf, eventsOf, notedIn } from '../support/data-folder.js';
import { keepingTheLog } from '../support/log-kept.js';
import { itInFull } from '../support/alone.js';
import { describeOnEmbedded } from '../support/on-embedded.js';
import { RunningSandbox } from '../support/running-sandbox.js';
import {
  discardLeftovers,
  newDataDir,
  RunningService,
  type Json,
  type TestPartner,
} from '../support/running-service.js';

// Only the gateway whose ledger knows a charge does not take it twice: another one takes the money again, and gives none back.

/** The ledger in a gateway's folder. */
const LEDGER = 'sandbox-gateway.jsonl';

describeOnEmbedded('the ledger of a gateway in a process of its own', () => {
  const sandboxes: RunningSandbox[] = [];
  const services: RunningService[] = [];
  afterEach(async () => {
    for (const service of services.splice(0)) await service.kill();
    for (const sandbox of sandboxes.splice(0)) await sandbox.kill();
  });
  afterAll(discardLeftovers);

  const sandboxAt = async (dataDir: string, port = '0'): Promise<RunningSandbox> => {
    const sandbox = await RunningSandbox.start({ dataDir, env: { PORT: port } });
    sandboxes.push(sandbox);
    return sandbox;
  };
  const replace = async (sandbox: RunningSandbox, dataDir: string): Promise<RunningSandbox> => {
    await sandbox.kill();
    return sandboxAt(dataDir, new URL(sandbox.url).port);
  };
  const start = async (
    dataDir: string,
    { url }: RunningSandbox,
    env: Readonly<Record<string, string>> = {},
  ): Promise<RunningService> => {
    const settings = { SANDBOX_GATEWAY_URL: url, GATEWAY_TIMEOUT: '4000', LOG_LEVEL: 'error', DEMO: 'false' };
    const service = await RunningService.start({ dataDir, env: { ...settings, ...env }, unready: true });
    services.push(service);
    return service;
  };
  /** Waits until a service that starts with ACCEPT is ready. The event log of this folder keeps everything. */
  const accepted = (dataDir: string, starting: () => Promise<RunningService>): Promise<RunningService> =>
    keepingTheLog(
      () => eventsOf(dataDir),
      async () => {
        const service = await starting();
        await service.ready();
        return service;
      },
    );
  const shop = async (service: RunningService): Promise<TestPartner> => {
    await service.ready();
    await service.newDeal('tram', { stock: 10 });
    return service.newPartner('acme');
  };
  const buy = async (service: RunningService, partner: TestPartner, name: string): Promise<Json> => {
    const user = {
      email: `${name}@example.org`,
      password: 'a long password',
      password_confirmation: 'a long password',
    };
    const order = { deal_id: 'tram', quantity: 1, user, credit_card: cardOf(GOOD_CARD) };
    const { status, body } = await buyFull(service, partner, order);
    return { status, ...body.purchase };
  };
  const left = async (service: RunningService, { key }: TestPartner): Promise<number> =>
    (await service.look('/deals/tram?region=testland', key)).body.deal?.num_left;
  /** The finding of a service that is not ready, or undefined once it is. */
  const found = async (service: RunningService): Promise<Json> => {
    const { status, body } = await service.health();
    expect(body.log.state).toBe('writing');
    expect(body.findings).toHaveLength(status === 200 ? 0 : 1);
    return body.findings[0];
  };
  const until = async (service: RunningService, wanted: (finding: Json) => boolean): Promise<Json> => {
    for (let looks = 0; looks < 4_800; looks += 1) {
      const { body } = await service.health();
      if (wanted(body.findings[0])) return found(service);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    throw new Error('it never came');
  };

  it('is recorded in the log: a running service refuses another one by name, and buys nothing from it', async () => {
    const [first, second] = [newDataDir(), newDataDir()];
    let sandbox = await sandboxAt(first);
    const service = await start(newDataDir(), sandbox);
    const partner = await shop(service);
    expect(await buy(service, partner, 'ann')).toMatchObject({ status: 200, payment_state: 'charged' });

    sandbox = await replace(sandbox, second);
    // The service has not seen the replacement: the first call finds it.
    expect(await buy(service, partner, 'bob')).toMatchObject({ status: 503 });
    const finding = await found(service);
    expect(finding.message).toContain('The payment gateway keeps the ledger of another installation');
    expect(finding.message).toContain('a refund of such a charge is refused');
    expect(finding.message).toContain(`ACCEPT=${finding.code}`);
    const units = await left(service, partner);
    expect(await buy(service, partner, 'cid')).toMatchObject({ status: 503 });
    expect(await left(service, partner)).toBe(units);
    expect(sandbox.ledger).toEqual([]);
    // Calls that need no gateway go on.
    expect(
      (await service.ask('POST', '/purchases/reserve?deal_id=tram&num_bought=1', { key: partner.key })).status,
    ).toBe(200);

    sandbox = await replace(sandbox, first);
    await until(service, (each) => each === undefined);
    expect(await buy(service, partner, 'dan')).toMatchObject({ status: 200, payment_state: 'charged' });
    expect(sandbox.ledger.filter(({ kind }) => kind === 'charge').length).toBeGreaterThanOrEqual(2);
  });

  itInFull(
    'is recorded in the log: a start refuses another one until an operator accepts it, and then refuses the first one',
    async () => {
      const [first, second] = [newDataDir(), newDataDir()];
      const dataDir = newDataDir();
      let sandbox = await sandboxAt(first);
      let service = await start(dataDir, sandbox);
      const partner = await shop(service);
      await service.stop();

      sandbox = await replace(sandbox, second);
      service = await start(dataDir, sandbox, { ACCEPT: '0'.repeat(12) });
      const { code } = await found(service);
      await service.prints('the ledger of another installation');
      expect(await buy(service, partner, 'ann')).toMatchObject({ status: 503 });
      expect(sandbox.ledger).toEqual([]);
      await service.stop();

      service = await accepted(dataDir, () => start(dataDir, sandbox, { ACCEPT: code }));
      expect(await buy(service, partner, 'ann')).toMatchObject({ status: 200, payment_state: 'charged' });
      await service.stop();
      service = await start(dataDir, sandbox);
      await service.ready();
      await service.stop();
      // The setting stays, and accepts nothing else.
      sandbox = await replace(sandbox, first);
      service = await start(dataDir, sandbox, { ACCEPT: code });
      expect((await found(service)).code).not.toBe(code);
    },
  );

  /** Restores a copy of the ledger, on the same port. */
  const putBack = async (sandbox: RunningSandbox, copy: string): Promise<RunningSandbox> => {
    await sandbox.kill();
    copyFileSync(copy, join(sandbox.dataDir, LEDGER));
    return sandboxAt(sandbox.dataDir, new URL(sandbox.url).port);
  };
  const keep = (sandbox: RunningSandbox, name: string): string => {
    const copy = join(newDataDir(), name);
    mkdirSync(dirname(copy), { recursive: true });
    copyFileSync(join(sandbox.dataDir, LEDGER), copy);
    return copy;
  };

  it('is refused by name as an older copy, running and at the start, until the right one is back', async () => {
    const dataDir = newDataDir();
    let sandbox = await sandboxAt(newDataDir());
    let service = await start(dataDir, sandbox);
    const partner = await shop(service);
    expect(await buy(service, partner, 'ann')).toMatchObject({ status: 200, payment_state: 'charged' });
    const older = keep(sandbox, 'older');
    const bought = await buy(service, partner, 'bea');
    expect(bought).toMatchObject({ status: 200, payment_state: 'charged' });
    const right = keep(sandbox, 'right');

    sandbox = await putBack(sandbox, older);
    // The service has not seen the restore: the first call finds it.
    expect(await buy(service, partner, 'bob')).toMatchObject({ status: 503 });
    const running = await found(service);
    expect(running.message).toContain('is an older copy: ');
    expect(running.message).toContain('a refund of such a charge is refused');
    expect(running.message).toContain(`ACCEPT=${running.code}`);
    const units = await left(service, partner);
    expect(await buy(service, partner, 'cid')).toMatchObject({ status: 503 });
    expect(await left(service, partner)).toBe(units);
    expect(sandbox.ledger).toHaveLength(1);
    // Calls that need no gateway go on.
    const held = '/purchases/reserve?deal_id=tram&num_bought=1';
    expect((await service.ask('POST', held, { key: partner.key })).status).toBe(200);
    await service.stop();

    service = await start(dataDir, sandbox);
    const again = await found(service);
    expect([again.code, service.printed]).toEqual([running.code, expect.stringContaining('is an older copy')]);
    expect(await buy(service, partner, 'cid')).toMatchObject({ status: 503 });
    expect(sandbox.ledger).toHaveLength(1);

    await putBack(sandbox, right);
    await until(service, (each) => each === undefined);
    await service.ready();
    const token = service.operatorToken;
    const refunded = await service.ask('POST', `/operators/purchases/${bought.id}/refund`, {
      ...{ token, body: { reason: 'sorry' } },
    });
    expect(refunded.status).toBe(200);
    expect(await buy(service, partner, 'dan')).toMatchObject({ status: 200, payment_state: 'charged' });
  });

  itInFull(
    'is used again as an older copy once an operator accepts it; the next older copy needs another code',
    async () => {
      const dataDir = newDataDir();
      let sandbox = await sandboxAt(newDataDir());
      let service = await start(dataDir, sandbox);
      const partner = await shop(service);
      await buy(service, partner, 'ann');
      const older = keep(sandbox, 'older');
      await buy(service, partner, 'bea');
      const { size } = statSync(join(sandbox.dataDir, LEDGER));
      while (notedIn(dataDir, 'ledger')?.size !== size) await new Promise((resolve) => setTimeout(resolve, 20));
      // A start knows what a killed process knew.
      await service.kill();
      sandbox = await putBack(sandbox, older);
      service = await start(dataDir, sandbox, { ACCEPT: '0'.repeat(12) });
      const { code } = await found(service);
      await service.stop();

      service = await accepted(dataDir, () => start(dataDir, sandbox, { ACCEPT: code }));
      expect(await buy(service, partner, 'cid')).toMatchObject({ status: 200, payment_state: 'charged' });
      expect(sandbox.ledger).toHaveLength(2);
      await service.stop();
      service = await start(dataDir, sandbox);
      await service.ready();
      await service.stop();
      sandbox = await putBack(sandbox, older);
      service = await start(dataDir, sandbox, { ACCEPT: code });
      expect((await found(service)).code).not.toBe(code);
    },
  );

  /** Expects a service that decides nothing, because its log does not know these charges. @returns the finding's code */
  const refusesFor = async (
    service: RunningService,
    partner: TestPartner,
    charges: readonly string[],
  ): Promise<string> => {
    const { status, body } = await service.health();
    expect([status, body.log.state, body.findings.length]).toEqual([503, 'refused', 1]);
    const [{ code, message }] = body.findings;
    expect(message).toContain(`it does not know ${charges.length} of its lines, such as `);
    for (const id of charges) expect(message).toContain(`charge ${id} (`);
    expect(message).toContain('nothing here gives their money back, so people must do it at the gateway');
    expect(message).toContain(`ACCEPT=${code}`);
    expect(await buy(service, partner, 'zoe')).toMatchObject({ status: 503 });
    const held = '/purchases/reserve?deal_id=tram&num_bought=1';
    expect((await service.ask('POST', held, { key: partner.key })).status).toBe(503);
    return code;
  };

  // Everything in the folder agrees with everything else: only the gateway knows of the sales since.
  it('G11 D8: ahead of an older copy of the whole folder is refused by name, until an operator accepts what that loses', async () => {
    const dataDir = newDataDir();
    const sandbox = await sandboxAt(newDataDir());
    let service = await start(dataDir, sandbox);
    const partner = await shop(service);
    expect(await buy(service, partner, 'ann')).toMatchObject({ status: 200, payment_state: 'charged' });
    await service.stop();
    const older = copyOf(dataDir);
    service = await start(dataDir, sandbox);
    await service.ready();
    const sold = [await buy(service, partner, 'bea'), await buy(service, partner, 'cid')].map(({ id }) => id as string);
    // A killed service knows less of the ledger than it has sold: that is no finding.
    await service.kill();
    service = await start(dataDir, sandbox);
    await service.ready();
    await service.stop();

    service = await start(older, sandbox);
    const code = await refusesFor(service, partner, sold);
    await service.prints('it does not know 2 of its lines');
    await service.stop();
    service = await start(older, sandbox, { ACCEPT: '0'.repeat(12) });
    expect(await refusesFor(service, partner, sold)).toBe(code);
    expect(sandbox.ledger).toHaveLength(3);
    await service.stop();

    service = await accepted(older, () => start(older, sandbox, { ACCEPT: code, LOG_LEVEL: 'warn' }));
    for (const id of sold) await service.prints(`charge ${id} (`);
    expect(await buy(service, partner, 'dan')).toMatchObject({ status: 200, payment_state: 'charged' });
    await service.stop();
    service = await start(older, sandbox);
    await service.ready();
    expect(sandbox.ledger).toHaveLength(4);
  });

  itInFull('G11 D8: that is the folder’s own, ahead of the other files, is refused in the same way', async () => {
    const dataDir = newDataDir();
    const run = async (folder: string, env: Readonly<Record<string, string>> = {}): Promise<RunningService> => {
      const service = await RunningService.start({ dataDir: folder, env: { DEMO: 'false', ...env }, unready: true });
      services.push(service);
      return service;
    };
    let service = await run(dataDir);
    const partner = await shop(service);
    await buy(service, partner, 'ann');
    await service.stop();
    const older = copyOf(dataDir);
    service = await run(dataDir);
    await service.ready();
    const { id } = await buy(service, partner, 'bea');
    await service.stop();
    copyFileSync(join(dataDir, LEDGER), join(older, LEDGER));

    service = await run(older);
    const code = await refusesFor(service, partner, [id]);
    await service.stop();
    service = await run(older);
    expect(await refusesFor(service, partner, [id])).toBe(code);
    await service.stop();
    service = await accepted(older, () => run(older, { ACCEPT: code }));
    expect(await buy(service, partner, 'cid')).toMatchObject({ status: 200, payment_state: 'charged' });
    await service.stop();
    await (await run(older)).ready();
  });

  it('may be away at the start: the service checks it before the first charge', async () => {
    const [first, second] = [newDataDir(), newDataDir()];
    const dataDir = newDataDir();
    let sandbox = await sandboxAt(first);
    let service = await start(dataDir, sandbox);
    const partner = await shop(service);
    await service.stop();
    await sandbox.kill();
    service = await start(dataDir, sandbox);
    await service.ready();
    sandbox = await sandboxAt(second, new URL(sandbox.url).port);
    expect(await buy(service, partner, 'ann')).toMatchObject({ status: 503 });
    expect(sandbox.ledger).toEqual([]);
    expect(await left(service, partner)).toBe(10);
  });

  it('differs from the own ledger of a data folder', async () => {
    const dataDir = newDataDir();
    const first = await RunningService.start({ dataDir, env: { DEMO: 'false' } });
    await first.newPartner('acme');
    await first.stop();
    const elsewhere = newDataDir();
    const service = await start(dataDir, await sandboxAt(elsewhere));
    expect((await found(service)).message).toContain('the ledger of another installation');
    await service.stop();
    // The folder's own ledger, in a process of its own, is the right one.
    const own = await RunningSandbox.start({ env: { LEDGER: join(dataDir, 'sandbox-gateway.jsonl') } });
    sandboxes.push(own);
    await (await start(dataDir, own)).ready();
  });
});
