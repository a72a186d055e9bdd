import { mkdirSync, readFileSync, rmdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { lives } from './end-with.mjs';

/** How long to wait for another run, in milliseconds: longer than any install. */
const PATIENCE = 15 * 60_000;
/** After this many milliseconds, a lock without its holder's id counts as left behind. Writing the id takes far less. */
const NAMELESS = 5_000;

const sleep = (milliseconds) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);

/** Makes a folder. Returns false if it exists, or if its parent has just gone. */
function make(folder) {
  try {
    mkdirSync(folder);
    return true;
  } catch (error) {
    if (error.code === 'EEXIST' || error.code === 'ENOENT') return false;
    throw error;
  }
}

/** Whether the process that made the lock ended without removing it. */
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
 * Takes over a lock that was left behind. It does not remove and make the lock again: in between, a rival that also saw it as
 * abandoned could remove the new one. A second folder decides who may take over. It stands beside the lock, because a file
 * inside would make the lock look new.
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
 * Runs `work` while it holds the folder as a lock between processes. Waits while another process holds it.
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
