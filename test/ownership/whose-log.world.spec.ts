import { expect, it } from '@jest/globals';
import { describeAlone, itInFull } from '../support/alone.js';
import { healthOnce, left, openShop, refusal, reserve, ServicesOnServer } from '../support/own-server.js';
import { newDataDir, RunningService, type TestPartner } from '../support/running-service.js';

/** The stream with the lease: who decides on the log. */
const LEASE = 'holdfast_holdfast_lease';

describeAlone('whose log it is', () => {
  const on = ServicesOnServer.forEachTest();
  const { server } = on;

  /** A folder of an installation that had a log of its own, elsewhere. */
  const otherInstallation = async (): Promise<string> => {
    const of = newDataDir();
    const other = await on.ready({ EVENTSTORE_PREFIX: 'elsewhere_' }, of);
    await other.stop();
    return of;
  };
  /** A shop whose server keeps an older copy, and which has sold three units since. */
  const shopWithCopy = async (): Promise<{ running: RunningService; partner: TestPartner }> => {
    const service = await on.ready();
    const partner = await openShop(service);
    expect(await reserve(service, partner)).toBe(200);
    await service.stop();
    server.keep('older');
    const running = await on.ready();
    expect(await reserve(running, partner, 3)).toBe(200);
    return { running, partner };
  };

  it('a start with a new folder on an existing log fails by name, before it creates anything', async () => {
    await openShop(await on.ready());
    const of = newDataDir();
    await expect(on.start({}, of)).rejects.toThrow('the server of EVENTSTORE_URL has an event log');
  });

  it('another installation is refused by name, and decides nothing, until it takes the log over', async () => {
    const first = await on.ready();
    const partner = await openShop(first);
    const of = await otherInstallation();
    const second = await on.start({}, of);
    const found = await refusal(second);
    expect(found.message).toContain('This is another event log');
    expect(found.message).toContain('belongs to another installation');
    expect(found.message).toContain(`ACCEPT=${found.code}`);
    await second.prints('Holdfast refuses the event log');
    const body = { name: 'Other', slug: 'other' };
    const answer = await second.ask('POST', '/operators/partners', { token: second.operatorToken, body });
    expect(answer.status).toBe(503);
    expect(await reserve(first, partner)).toBe(200);
    await second.stop();
    await first.stop();

    // A code for something else does not count.
    const refused = await on.start({ ACCEPT: '0'.repeat(12) }, of);
    const again = await refusal(refused);
    await refused.stop();
    await (await on.accepted(again.code, of)).stop();
    expect((await refusal(await on.start())).message).toContain('belongs to another installation');
  });

  it('an older copy is refused at the start, with a list of what it loses, until an operator accepts it', async () => {
    const { running: later, partner } = await shopWithCopy();
    await later.stop();
    await server.putBack('older');
    const writes = await server.metadataWrites(LEASE);

    const refused = await on.start();
    const found = await refusal(refused);
    expect(found.message).toContain('The event log ends before the last event that this installation knows');
    expect(found.message).toContain('later sales');
    expect(found.message).toContain('charges that the log does not know');
    expect(await reserve(refused, partner)).toBe(503);
    await refused.stop();
    const still = await on.start();
    expect((await refusal(still)).code).toBe(found.code);
    await still.stop();
    expect(await server.metadataWrites(LEASE)).toBe(writes);

    const accepted = await on.accepted(found.code);
    expect(await left(accepted, partner)).toBe(9);
    expect(await reserve(accepted, partner, 9)).toBe(200);
    await accepted.stop();
    // The setting left in place accepts nothing else.
    await server.putBack('older');
    expect((await refusal(await on.start({ ACCEPT: found.code }))).code).not.toBe(found.code);
  });

  itInFull(
    'an older copy restored under a running service is refused in the same way, and the views stay',
    async () => {
      const { running, partner } = await shopWithCopy();
      await server.putBack('older');
      const found = await refusal(running);
      expect(found.message).toContain('The event log ends before the last event that this installation knows');
      expect(await reserve(running, partner)).toBe(503);
      expect(await left(running, partner)).toBe(6);
      await running.stop();
      const refused = await on.start();
      expect((await refusal(refused)).code).toBe(found.code);
      await refused.stop();
      const accepted = await on.accepted(found.code);
      expect(await left(accepted, partner)).toBe(9);
    },
  );

  itInFull('a refused service, running or started since, goes on by itself once the right log is back', async () => {
    const { running, partner } = await shopWithCopy();
    await new Promise((resolve) => setTimeout(resolve, 1_100));
    server.keep('right');
    for (const service of [running, undefined]) {
      await server.putBack('older');
      const refused = service ?? (await on.start());
      await refusal(refused);
      expect(await reserve(refused, partner)).toBe(503);
      await server.putBack('right');
      await healthOnce(refused, ({ status }) => status === 'success');
      await refused.prints('the event log that was refused is right again');
      expect(await reserve(refused, partner)).toBe(200);
      expect(await left(refused, partner)).toBe(service === undefined ? 4 : 5);
      server.keep('right');
      await refused.stop();
    }
  });

  it('an empty server is refused, at the start and under a running service, and stays empty', async () => {
    const running = await on.ready();
    const partner = await openShop(running);
    await server.putBack(undefined);
    const found = await refusal(running);
    expect(found.message).toContain('event log is empty or missing');
    expect(await reserve(running, partner)).toBe(503);
    await running.stop();
    const refused = await on.start();
    expect((await refusal(refused)).code).toBe(found.code);
    await refused.stop();
    expect(await server.streamsNamed('holdfast')).toEqual([]);
    const begun = await on.accepted(found.code);
    // The views of the lost events are gone too.
    expect((await begun.ask('GET', '/deals/tram?region=testland', { key: partner.key })).status).toBe(401);
    const again = await openShop(begun);
    expect(await left(begun, again)).toBe(10);
  });

  it('EVENTSTORE_URL is refused by name for a folder with a log of its own', async () => {
    const embedded = await RunningService.start({ dataDir: on.dataDir });
    await embedded.stop();
    const refused = RunningService.start({ dataDir: on.dataDir, env: { EVENTSTORE_URL: server.url }, unready: true });
    await expect(refused).rejects.toThrow(
      /EVENTSTORE_URL is set, and the data folder .* holds an event log of its own/,
    );
  });

  itInFull('two prefixes of which one begins like the other work side by side', async () => {
    const [one, other] = [
      await on.ready({ EVENTSTORE_PREFIX: 'shop_' }),
      await on.ready({ EVENTSTORE_PREFIX: 'shop_2_' }, newDataDir()),
    ];
    const [ours, theirs] = [await openShop(one), await openShop(other)];
    expect([await reserve(one, ours, 2), await reserve(other, theirs, 3)]).toEqual([200, 200]);
    expect([await left(one, ours), await left(other, theirs)]).toEqual([8, 7]);
    for (const service of [one, other]) expect((await service.health()).status).toBe(200);
  });
});
