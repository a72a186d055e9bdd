import { join } from 'node:path';
import { afterAll } from '@jest/globals';
import { discardLeftovers } from '../support/running-service.js';
import { tempFolder } from '../support/temp-folder.js';
import { readsWhatWasRecorded } from './reads-what-was-recorded.js';
import { recordGolden, type Recorder } from './record-golden.js';

afterAll(discardLeftovers);

const files = tempFolder();
afterAll(() => files.remove());

function readsWhatItRecords(name: string, recorder: Recorder): void {
  readsWhatWasRecorded(`by this build, ${name}`, async () => {
    const golden = join(files.path, String(recorder.eventstoredb));
    await recordGolden(golden, recorder);
    return golden;
  });
}

readsWhatItRecords('with its log in a file', { eventstoredb: false, found: false });
readsWhatItRecords('with its log on EventStoreDB, a finding, and the gateway in a process of its own', {
  eventstoredb: true,
  found: true,
});
