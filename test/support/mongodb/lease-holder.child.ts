import { MongoDb, MongoDbLeases } from '#adapters/mongodb';

/** A process that a test kills: holds a lease, and prints that it does. */
const mongo = await MongoDb.connect(process.argv[2] ?? '');
const leases = new MongoDbLeases(mongo, (_, error) => {
  throw error;
});
leases.hold('projector', async () => {
  process.stdout.write('held\n');
  await new Promise(() => undefined);
});
