import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { FAULTS } from './faults.js';

const SIM = join('test', 'sim');

// A fault that nothing asks for never strikes, and the summary of a campaign says so only to those who look.
it('every fault has a place where it strikes', () => {
  const sources = readdirSync(SIM, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.spec.ts') && file !== join('core', 'faults.ts'))
    .map((file) => readFileSync(join(SIM, file), 'utf8'))
    .join('\n');
  expect(Object.keys(FAULTS).filter((fault) => !sources.includes(`'${fault}'`))).toEqual([]);
});
