import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { type Fault, Faults, FAULTS } from './faults.js';
import { Seeded } from './seeded.js';
import { Trace } from './trace.js';

const SIM = join('test', 'sim');

// A fault that nothing asks for never strikes, and the summary of a campaign says so only to those who look.
it('every fault has a place where it strikes', () => {
  const sources = readdirSync(SIM, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.spec.ts') && file !== join('core', 'faults.ts'))
    .map((file) => readFileSync(join(SIM, file), 'utf8'))
    .join('\n');
  expect(Object.keys(FAULTS).filter((fault) => !sources.includes(`'${fault}'`))).toEqual([]);
});

it('a strike that changed nothing does not count', () => {
  const faults = new Faults(new Seeded('any'), new Trace(() => 0));
  const names = Object.keys(FAULTS) as Fault[];
  for (let time = 0; time < 10_000 && faults.struck.size === 0; time += 1) names.some((fault) => faults.strikes(fault));
  const [[fault, before] = ['disk: it is full', 0] as never] = [...faults.struck];
  while (!faults.strikes(fault));
  expect(faults.struck.get(fault)).toBe(before + 1);
  faults.hadNoEffect(fault);
  expect(faults.struck.get(fault)).toBe(before);
  for (let left = before; left > 0; left -= 1) faults.hadNoEffect(fault);
  expect(faults.struck.has(fault)).toBe(false);
});
