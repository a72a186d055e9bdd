import { expect, it } from '@jest/globals';
import { FAULTS } from '../core/faults.js';
import { ENVIRONMENT } from '../environment.js';
import { SILENT } from '../embedded/whole-service.js';
import { OPERATOR, type ServiceProcess } from '../world/service-process.js';
import { World } from '../world/world.js';
import type { EventStore } from './eventstoredb/event-store.js';
import { cluster } from './installation.js';
import type { MongoServer } from './mongodb/mongo-server.js';
import { wholeOnEventStore } from './whole-on-event-store.js';

/** An installation in a world without faults. */
function calm(form: typeof cluster) {
  const world = new World('views ahead', { faults: new Set(Object.keys(FAULTS)) });
  const { apis, processes, servers, views } = form(world, ENVIRONMENT, SILENT);
  const [api, worker] = [apis[0], processes.at(-1)] as [ServiceProcess, ServiceProcess];
  const [eventStore, mongo] = servers as [EventStore, MongoServer];
  const pause = (milliseconds: number): Promise<void> =>
    new Promise((resolve) => world.scheduler.after(milliseconds, () => resolve()));
  const until = async (condition: () => boolean): Promise<void> => {
    while (!condition()) await pause(100);
  };
  /** Waits until a view has seen the last event. */
  const seen = (): Promise<void> => {
    const last = eventStore.stored.all.at(-1)?.position;
    return until(() => views.generations.some(({ stored }) => stored.checkpoint?.position === last));
  };
  return { world, api, worker, eventStore, mongo, pause, until, seen };
}

/** A region, which is one event. */
function writeRegion(api: ServiceProcess): Promise<{ readonly status: number }> {
  return api.answer({
    method: 'PUT',
    path: '/operators/regions/testland',
    credential: { token: OPERATOR },
    body: { name: 'Testland', time_zone: 'Europe/Lisbon', latitude: 40, longitude: -8 },
  });
}

// Seed 210170: a worker saw the last event, and the API that wrote it was killed before it could move the mark.
it('an API decides nothing on a log that lacks what views have seen, though no worker runs, until it is whole again', async () => {
  const { world, api, worker, eventStore, mongo, pause, until, seen } = calm(cluster);
  const story = async (): Promise<void> => {
    await Promise.all([api.start(), worker.start()]);
    await pause(5_000);
    const facts = mongo.collection('facts');
    const mark = facts.get('mark');
    expect((await writeRegion(api)).status).toBe(200);
    const whole = [...eventStore.stored.all];
    await seen();
    api.crash();
    worker.crash();
    if (mark !== undefined) facts.set('mark', mark);

    eventStore.restore(whole.slice(0, -1), 'an older copy');
    await api.start();
    expect(api.service?.guard.findings).toMatchObject([{ kind: 'view' }]);
    expect((await writeRegion(api)).status).toBe(503);

    eventStore.restore(whole, 'the right data');
    await until(() => !api.isUp);
    await Promise.all([api.start(), worker.start()]);
    expect(api.service?.guard.findings).toEqual([]);
    expect((await writeRegion(api)).status).toBe(200);
  };
  await world.until(story(), 600_000);
});

it('a whole service decides nothing on a log that lacks what its views have seen, until it is whole again', async () => {
  const { world, api: service, eventStore, pause, until, seen } = calm(wholeOnEventStore);
  const story = async (): Promise<void> => {
    await service.start();
    await pause(5_000);
    expect((await writeRegion(service)).status).toBe(200);
    const whole = [...eventStore.stored.all];
    await seen();
    // Before it has moved the mark.
    service.crash();

    eventStore.restore(whole.slice(0, -1), 'an older copy');
    const started = service.start();
    // It answers before its projector has waited long enough for the event.
    await until(() => service.isUp);
    expect((await writeRegion(service)).status).toBe(503);
    expect(service.service?.guard.findings).toMatchObject([{ kind: 'view' }]);
    await started;

    eventStore.restore(whole, 'the right data');
    await until(() => !service.isUp);
    await service.start();
    expect(service.service?.guard.findings).toEqual([]);
    expect((await writeRegion(service)).status).toBe(200);
  };
  await world.until(story(), 600_000);
});
