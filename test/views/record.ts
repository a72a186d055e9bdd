import { writeFileSync } from 'node:fs';
import { storeSums } from '../golden/sums.js';
import { DIGESTS_FILE, nextDigests, readDigests } from './digests.js';

/**
 * `npm run views:record`: stores the digests of new views, of views with a raised version, and over golden events that were
 * added, and the sums of samples and recordings that were added. Refuses a view whose rows changed while its version did not, and
 * a sample that changed.
 */
try {
  storeSums();
  writeFileSync(DIGESTS_FILE, `${JSON.stringify(await nextDigests(readDigests()), null, 2)}\n`);
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exitCode = 1;
}
