import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { thisMachine } from '#adapters/machine';
import { callsOf, canTrace, tracing } from '../../../test/campaigns/power/strace.js';
import { MAIL, SENDER } from '../../../test/contracts/mailer.contract.js';
import { ON_DISK } from '../../../test/support/temp-folder.js';
import { Outbox } from './outbox.js';

const CHILD = join(import.meta.dirname, '../../../test/support/outbox.child.js');
const NEW_NAMES = ['rename', 'renameat', 'renameat2'];
const SYNCS = ['fsync', 'fdatasync'];
const WRITES = ['write', 'writev', 'pwrite64', 'pwritev'];

// A mail that counts as sent is never sent again, so no crash and no power cut may lose it or leave half of it.
describe('F4: what the outbox has on disk', () => {
  let base: string;
  let folder: string;
  beforeEach(() => {
    base = mkdtempSync(join(ON_DISK, 'holdfast-outbox-'));
    folder = join(base, 'outbox');
  });
  afterEach(() => {
    jest.restoreAllMocks();
    rmSync(base, { recursive: true, force: true });
  });

  const subjectIn = (name: string): string | undefined =>
    /^Subject: (.*?)\r?$/m.exec(readFileSync(join(folder, name), 'utf8'))?.[1];

  it('a mail has its name only when all of it was synced, and the one that it replaces is whole until then', async () => {
    const seen: (readonly (readonly [name: string, subject: string | undefined])[])[] = [];
    const handle = await open(base, 'r');
    const ofHandles = Object.getPrototypeOf(handle) as FileHandle;
    await handle.close();
    const sync = ofHandles.sync;
    jest.spyOn(ofHandles, 'sync').mockImplementation(function (this: FileHandle) {
      const names = readdirSync(folder).toSorted();
      seen.push(names.map((name) => [name.replace(/\.[0-9a-f-]{36}\./, '.….'), subjectIn(name)]));
      return sync.call(this);
    });
    const { randomness } = thisMachine;
    const outbox = new Outbox({ folder, from: SENDER, clock: { now: () => 0 }, randomness });
    for (const subject of ['first', 'second']) await outbox.send({ ...MAIL, messageId: '<one@x.example>', subject });
    await outbox.close();
    expect(seen).toEqual([
      [['one@x.example.eml.….tmp', 'first']],
      [
        ['one@x.example.eml', 'first'],
        ['one@x.example.eml.….tmp', 'second'],
      ],
    ]);
    expect(readdirSync(folder).map((name) => [name, subjectIn(name)])).toEqual([['one@x.example.eml', 'second']]);
  });

  const traced = canTrace() ? it : it.skip;
  traced('a mail is written, synced and named, and its name is synced, before it counts as sent', async () => {
    const trace = join(base, 'trace');
    const [strace = '', ...args] = tracing(trace, `trace=${[...NEW_NAMES, ...SYNCS, ...WRITES].join(',')}`);
    const child = spawnSync(strace, [...args, process.execPath, CHILD, folder], { encoding: 'utf8' });
    expect([child.status, child.stderr]).toEqual([0, '']);
    const steps = (await callsOf(trace)).flatMap(({ name, file, text, result }) => {
      if (result < 0) return [];
      if (NEW_NAMES.includes(name)) return text.includes(folder) ? ['named'] : [];
      if (file === folder) return SYNCS.includes(name) ? ['names synced'] : [];
      if (!file.startsWith(folder)) return [];
      return [`${SYNCS.includes(name) ? 'synced' : 'written'} beside`];
    });
    const each = ['written beside', 'synced beside', 'named', 'names synced'];
    expect(steps.filter((step, index) => step !== steps[index - 1])).toEqual([...each, ...each]);
  });
});
