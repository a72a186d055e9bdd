import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { ROOT } from '../planted/targets.js';
import type { Branch } from './branches.js';
import { watchedFiles } from './files.js';
import { judge, type Reason } from './reasons.js';

const reasons = JSON.parse(readFileSync(join(ROOT, 'test/sim/coverage/unreached.json'), 'utf8')) as readonly Reason[];

describe('the files whose branches are looked at', () => {
  const files = watchedFiles(ROOT);

  it.each([
    'libs/eventsourcing/command-loop/command-loop.ts',
    'libs/eventsourcing/work/work-runner.ts',
    'libs/eventsourcing/projections/projector.ts',
    'libs/purchasing/inventory/hold-expiry.work.ts',
    'libs/purchasing/followers.ts',
    'libs/catalogue/followers.ts',
    // These do the work of a list, and have no name that says so.
    'libs/purchasing/checkout/charging.ts',
    'libs/mailing/batch/batch-delivery.ts',
    'libs/mailing/subscription-mail/subscription-mail-delivery.ts',
    'libs/mailing/daily-update/daily-update.ts',
  ])('have %s', (file) => {
    expect(files).toContain(file);
  });

  it('have everything for which a reason is given, and no specs', () => {
    for (const { file } of reasons) expect(files).toContain(file);
    expect(files.filter((file) => file.endsWith('.spec.ts'))).toEqual([]);
  });
});

describe('the reasons of the tree', () => {
  const inOneLine = (text: string): string => text.replaceAll(/\s+/g, ' ');

  // The campaign, which takes long, would find this out at its end.
  it('are for branches that their files have', () => {
    const gone = reasons.flatMap(({ file, branches }) => {
      const source = inOneLine(readFileSync(join(ROOT, file), 'utf8'));
      const missing = branches.filter((branch) => !source.includes(inOneLine(branch.split(' → ')[0] ?? '')));
      return missing.map((branch) => `${file}: ${branch}`);
    });
    expect(gone).toEqual([]);
  });

  it('name specs that exist', () => {
    const specs = reasons.flatMap(({ spec }) => spec ?? []);
    expect(specs.filter((spec) => !existsSync(join(ROOT, spec)))).toEqual([]);
  });
});

describe('the reasons', () => {
  const branch = (name: string, reached: boolean): Branch => ({ file: 'a.ts', name, line: 7, reached });
  const reason = (more: Partial<Reason> = {}): Reason => ({
    file: 'a.ts',
    branches: ['if → true'],
    why: 'Because.',
    ...more,
  });
  const told = (branches: readonly Branch[], ...reasons: readonly Reason[]): ReturnType<typeof judge> =>
    judge(branches, reasons, ROOT);

  it('must name every branch that no world reached', () => {
    expect(told([branch('if → true', false)])).toEqual({
      lines: ['0 of 1 branches reached; the others:', 'a.ts:7  if → true', '    NO REASON GIVEN'],
      isGood: false,
    });
    expect(told([branch('if → true', false)], reason())).toMatchObject({ isGood: true });
    expect(told([branch('if → true', true)])).toMatchObject({ isGood: true });
  });

  it('may be for branches that other worlds reached, and not for what does not exist', () => {
    const reached = told([branch('if → true', true)], reason());
    expect(reached.lines).toContain('reached, although a reason says why not: a.ts:7  if → true');
    expect(reached.isGood).toBe(true);
    expect(told([], reason())).toMatchObject({ isGood: false });
    expect(told([branch('if → true', false)], reason({ spec: 'nothing.spec.ts' }))).toMatchObject({ isGood: false });
    expect(told([branch('if → true', false)], reason({ spec: 'test/sim/coverage/coverage.spec.ts' })).lines).toContain(
      '    Because. (test/sim/coverage/coverage.spec.ts)',
    );
  });
});
