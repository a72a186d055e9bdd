import { prepareMongoDb } from './mongodb-server.js';

/** Makes what the first spec with MongoDB would make, so that none has to wait. */
await prepareMongoDb();
