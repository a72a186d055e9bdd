import { afterAll } from '@jest/globals';
import { discardLeftovers } from '../support/running-service.js';
import { readsWhatWasRecorded } from './reads-what-was-recorded.js';
import { goldenFolders } from './recording.js';

afterAll(discardLeftovers);

for (const name of goldenFolders()) readsWhatWasRecorded(name, () => Promise.resolve(name));
