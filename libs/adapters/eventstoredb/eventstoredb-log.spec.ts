import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { EventStoreDbLog } from '#adapters/eventstoredb';
import { eventLogContract } from '../../../test/contracts/event-log.contract.js';
import { EventStoreDbDouble } from '../../../test/support/eventstoredb/server.js';

const real = process.env['EVENTSTORE_URL'];
let double: EventStoreDbDouble | undefined;

beforeAll(async () => {
  if (real === undefined) double = await EventStoreDbDouble.start();
});
afterAll(() => double?.close());

it('G9: an invalid connection string is refused by the name of its setting, without any part of it', async () => {
  const opened = EventStoreDbLog.open({ url: 'esdb://holdfast:password@127.0.0.1:port' });
  await expect(opened).rejects.toThrow(
    new TypeError('EVENTSTORE_URL is not a connection string such as esdb://127.0.0.1:2113?tls=false'),
  );
});

// One server for all cases, with a prefix for each: each case finds what the others left.
eventLogContract(
  `EventStoreDbLog on ${real === undefined ? 'the double of the server' : 'the server of EVENTSTORE_URL'}`,
  async () => {
    const options = { url: real ?? double?.url ?? '', prefix: `test_${randomUUID().slice(0, 8)}_` };
    let log = await EventStoreDbLog.open(options);
    return {
      get log() {
        return log;
      },
      async reopen() {
        await log.close();
        log = await EventStoreDbLog.open(options);
        return log;
      },
      close: () => log.close(),
    };
  },
);
