import { MongoDb, MongoDbLeases } from '#adapters/mongodb';

/** A process to be killed: holds a lease, and says so on its output. */
const mongo = await MongoDb.connect(process.argv[2] ?? '');
const leases = new MongoDbLeases(mongo, (_, error) => {
  throw error;
});
leases.hold('projector', async () => {
  process.stdout.write('held\n');
  await new Promise(() => undefined);
});
