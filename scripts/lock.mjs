import { mkdirSync, readFileSync, rmdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { lives } from './end-with.mjs';

/** How long another run is waited for, in milliseconds: longer than any install. */
const PATIENCE = 15 * 60_000;
/** How old a lock without a holder's name must be to count as left behind: far longer than it takes to write it. */
const NAMELESS = 5_000;

const sleep = (milliseconds) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);

/** True when the folder could be made; false when it exists (or its parent has just gone). */
function make(folder) {
  try {
    mkdirSync(folder);
    return true;
  } catch (error) {
    if (error.code === 'EEXIST' || error.code === 'ENOENT') return false;
    throw error;
  }
}

/** True when the process that made the lock is gone without having removed it. */
function abandoned(folder) {
  try {
    const pid = Number(readFileSync(join(folder, 'pid'), 'utf8'));
    return pid > 0 && !lives(pid);
  } catch {
    const made = statSync(folder, { throwIfNoEntry: false })?.mtimeMs;
    return made !== undefined && Date.now() - made > NAMELESS;
  }
}

/**
 * Takes over a lock that was left behind. It is never removed and made anew: between the two, a rival that had judged it
 * just as abandoned would remove the new one. Who may look and take over is decided by a second folder: beside the lock,
 * for one inside would make the lock look new.
 */
function takeOver(folder) {
  const guard = `${folder}.taking-over`;
  if (!abandoned(folder) || !make(guard)) return false;
  const ours = abandoned(folder);
  if (ours) writeFileSync(join(folder, 'pid'), String(process.pid));
  rmdirSync(guard);
  return ours;
}

/**
 * Runs `work` while holding the folder as a lock between processes; waits while another process holds it.
 * @throws Error after 15 minutes of waiting
 */
export function withLock(folder, work) {
  const until = Date.now() + PATIENCE;
  while (!make(folder)) {
    if (takeOver(folder)) break;
    if (Date.now() > until) throw new Error(`another run has held ${folder} for too long: remove it if there is none`);
    sleep(100);
  }
  try {
    writeFileSync(join(folder, 'pid'), String(process.pid));
    return work();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
