import { expect, it } from '@jest/globals';
import { describeAlone } from '../support/alone.js';
import { left, openShop, reserve, ServicesOnServer } from '../support/own-server.js';

describeAlone('a node that does not know streams whose event 0 was scavenged', () => {
  const on = ServicesOnServer.forEachTest();
  const { server } = on;

  it('leads, and the service goes on with its log: it is neither empty nor another one', async () => {
    const first = await on.ready();
    const partner = await openShop(first);
    expect(await reserve(first, partner)).toBe(200);
    await first.stop();
    await server.control.scavenge();
    await server.control.refill();
    const records = await server.streamsNamed('holdfast_holdfast');

    const again = await on.ready();
    expect(await reserve(again, partner)).toBe(200);
    expect(await left(again, partner)).toBe(8);
    await again.stop();
    expect((await server.control.events('holdfast_holdfast')).map(({ revision }) => revision).slice(0, 2)).toEqual([
      0, 1,
    ]);
    expect(await server.streamsNamed('holdfast_holdfast')).toEqual([...records, '$$holdfast_holdfast_lease-2']);
    const last = await on.ready();
    expect(await reserve(last, partner)).toBe(200);
  });
});
