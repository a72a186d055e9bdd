import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { canTrace } from '../campaigns/power/strace.js';
import { discardLeftovers, RunningService } from '../support/running-service.js';
import { tempFolder } from '../support/temp-folder.js';

const UNIT = 'deploy/holdfast.service';
const INSTALLED = spawnSync('systemd-analyze', ['--version']).status === 0;
/** As root, which the unit never is, SQLite gives new files to the owner of the database. */
const AS_ROOT: readonly string[] = process.getuid?.() === 0 ? ['fchown'] : [];
/** systemd's own words for a unit that is well closed; 10 is a unit without any hardening. */
const MOST_EXPOSED = 2;

const analyze = (...args: readonly string[]): { readonly status: number | null; readonly text: string } => {
  const { status, stdout, stderr } = spawnSync('systemd-analyze', args, { encoding: 'utf8' });
  return { status, text: stdout + stderr };
};

/** The system calls that a filter of systemd lets pass. */
function callsIn(filter: string, seen = new Set<string>()): readonly string[] {
  if (seen.has(filter)) return [];
  seen.add(filter);
  return analyze('syscall-filter', filter)
    .text.split('\n')
    .slice(1)
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'))
    .flatMap((name) => (name.startsWith('@') ? callsIn(name, seen) : [name]));
}

if (!INSTALLED) process.stderr.write('SKIPPED: systemd-analyze is not installed\n');

(INSTALLED ? describe : describe.skip)('G11.3: the systemd unit, by systemd’s own programs', () => {
  const folder = tempFolder();
  afterAll(async () => {
    folder.remove();
    await discardLeftovers();
  });

  it('is a valid unit', () => {
    expect(analyze('verify', UNIT)).toEqual({ status: 0, text: '' });
  });

  it('leaves little open', () => {
    const { text } = analyze('security', '--offline=true', '--no-pager', UNIT);
    const [, level] = /Overall exposure level for holdfast\.service: ([\d.]+)/.exec(text) ?? [];
    expect(Number(level)).toBeLessThan(MOST_EXPOSED);
  });

  (canTrace() ? it : it.skip)('lets the service make every system call that it makes', async () => {
    const trace = join(folder.path, 'trace');
    const prefix = ['strace', '-D', '-f', '-qq', '-o', trace];
    const service = await RunningService.start({ prefix });
    const { key } = await service.newPartner('acme');
    await service.newDeal('inn');
    const held = await service.ask('POST', '/purchases/reserve?deal_id=inn&num_bought=1', { key });
    expect(held.status).toBe(200);
    await service.stop();
    const calls = new Set([...readFileSync(trace, 'utf8').matchAll(/^\d+ +(\w+)\(/gm)].map(([, name = '']) => name));
    const denied = new Set([...callsIn('@privileged'), ...callsIn('@resources')]);
    const allowed = new Set(
      [...callsIn('@system-service'), ...callsIn('@default')].filter((call) => !denied.has(call)),
    );
    expect(calls.size).toBeGreaterThan(30);
    expect([...calls].filter((call) => !allowed.has(call) && !AS_ROOT.includes(call))).toEqual([]);
  });
});
