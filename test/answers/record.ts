import { existsSync, writeFileSync } from 'node:fs';
import { goldenInputs } from '../views/golden-rows.js';
import { answerDigests, changedAnswers, DIGESTS_FILE, readAnswers } from './digests.js';

/** `npm run answers:record`: stores the digests of a new version of the answers. Refuses if an older version changed. */
const stored = existsSync(DIGESTS_FILE) ? readAnswers() : { inputs: goldenInputs(), digests: {} };
const digests = await answerDigests(stored.inputs);
const faults = changedAnswers(stored.digests, digests);
if (faults.length > 0) {
  process.stderr.write(`${faults.join('\n')}\n`);
  process.exitCode = 1;
} else {
  writeFileSync(DIGESTS_FILE, `${JSON.stringify({ inputs: stored.inputs, digests }, null, 2)}\n`);
}
