import { setTimeout as pause } from 'node:timers/promises';
import { beforeEach, expect, it } from '@jest/globals';
import { describeAlone, itInFull } from '../support/alone.js';
import { copyOf } from '../support/data-folder.js';
import { healthOnce, left, openShop, reserve, ServicesOnServer } from '../support/own-server.js';
import type { RunningService, TestPartner } from '../support/running-service.js';

/** The record of the log, and the note of its lease. */
const [RECORD, LEASE] = ['holdfast_holdfast', '$$holdfast_holdfast_lease'] as const;

describeAlone('G9: a node that does not know streams whose event 0 was scavenged', () => {
  const on = ServicesOnServer.forEachTest();
  const { server } = on;
  let service: RunningService;
  let partner: TestPartner;

  beforeEach(async () => {
    service = await on.ready();
    partner = await openShop(service);
    expect(await reserve(service, partner)).toBe(200);
  });

  const revisionsOf = async (stream: string): Promise<readonly number[]> =>
    (await server.control.events(stream)).map(({ revision }) => revision);
  /** A scavenge removes event 0 of the lease only after its second write. */
  const leaseWrittenAgain = async (): Promise<void> => {
    while (!(await revisionsOf(LEASE)).includes(1)) await pause(100);
  };
  const filled = async (): Promise<void> => {
    await leaseWrittenAgain();
    await server.control.scavenge();
    await server.control.refill();
  };

  it('leads, and the service goes on with its log: it is neither empty nor another one', async () => {
    await service.stop();
    await filled();
    const records = await server.streamsNamed(RECORD);

    const again = await on.ready();
    expect(await reserve(again, partner)).toBe(200);
    expect(await left(again, partner)).toBe(8);
    await again.stop();
    expect((await revisionsOf(RECORD)).slice(0, 2)).toEqual([0, 1]);
    expect(await server.streamsNamed(RECORD)).toEqual([...records, `${LEASE}-2`]);
    const last = await on.ready();
    expect(await reserve(last, partner)).toBe(200);
  });

  it('leads and does not know the record either: its position proves the log, and it goes on under its next name', async () => {
    await service.stop();
    await server.control.setMetadata(RECORD, { $maxCount: 1 });
    await filled();
    const cut = await revisionsOf(RECORD);
    expect(cut).not.toContain(0);

    const again = await on.start();
    const found = await healthOnce(again, ({ findings, log }) => log?.state === 'writing' || findings?.length > 0);
    expect([found.log.state, found.findings]).toEqual(['writing', []]);
    expect(await reserve(again, partner)).toBe(200);
    expect(await left(again, partner)).toBe(8);
    await again.stop();
    expect([await revisionsOf(RECORD), (await revisionsOf(`${RECORD}-2`))[0]]).toEqual([cut, 0]);
    expect(await reserve(await on.ready(), partner)).toBe(200);
  });

  itInFull(
    'becomes the leader of a running service and does not know the record either: the service goes on under its next name',
    async () => {
      await server.control.setMetadata(RECORD, { $maxCount: 1 });
      await filled();
      const cut = await revisionsOf(RECORD);
      await server.control.stop();
      await server.control.start();

      while ((await reserve(service, partner)) !== 200) await pause(250);
      expect([await revisionsOf(RECORD), (await revisionsOf(`${RECORD}-2`))[0]]).toEqual([cut, 0]);
      expect(await left(service, partner)).toBe(8);
      // Before it can move the lease: its end must not write to a note that the node does not find.
      await service.stop();
      const again = await on.ready();
      expect(await reserve(again, partner)).toBe(200);
      expect(await server.streamsNamed(RECORD)).toContain(`${LEASE}-2`);
      expect(await revisionsOf(LEASE)).not.toContain(0);
    },
  );

  it('does not know who may decide: a start beside the living holder is refused by name', async () => {
    await filled();
    await expect(on.start({}, copyOf(on.dataDir))).rejects.toThrow(
      /another Holdfast of this installation runs on the event log/,
    );
    expect(await reserve(service, partner)).toBe(200);
    expect(await revisionsOf(LEASE)).not.toContain(0);
  });

  it('does not know who may decide: of a frozen holder and a start, never both decide', async () => {
    await leaseWrittenAgain();
    service.child.kill('SIGSTOP');
    await filled();
    const second = await on.ready({ LOG_LEVEL: 'info' }, copyOf(on.dataDir));
    await second.prints('waits up to 15 s');
    service.child.kill('SIGCONT');
    expect(await reserve(service, partner)).toBe(503);
    const { findings } = await healthOnce(service, (health) => health.findings?.length > 0);
    expect(findings[0].message).toContain('has taken over the event log (a whole service on');
    expect(await reserve(second, partner)).toBe(200);
    expect(await left(second, partner)).toBe(8);
    expect(await revisionsOf(LEASE)).not.toContain(0);
  });
});
