/**
 * Ends this process, as a signal would, once one of those that it was started by is gone: npm and its shell may die without
 * passing on the signal that they died of, and what they had started would go on with its port and its folder.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import process from 'node:process';
import { clearInterval, setInterval } from 'node:timers';

/** How often is looked, in milliseconds. */
const EVERY = 200;
const SHELL = /^-?(sh|bash|dash|ash|ksh|zsh|busybox)$/;

/** The process that started this one, as it was when this file was loaded: a later look may find another. */
const parent = process.ppid;

/** True while there is a process with this id, whoever owns it. */
export function lives(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

/** What a process is called and who started it; undefined where the system does not say. */
function look(pid) {
  try {
    const [, name, above] = /^\d+ \((.*)\) \S (\d+) /s.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'));
    return { name, above: Number(above) };
  } catch {
    const told = spawnSync('ps', ['-o', 'ppid=,comm=', '-p', String(pid)], { encoding: 'utf8' }).stdout ?? '';
    const [, above, name] = /^\s*(\d+)\s+(?:.*\/)?(\S+)\s*$/.exec(told) ?? [];
    return above === undefined ? undefined : { name, above: Number(above) };
  }
}

/** The processes of npm's that this one was started by; none where it was started without npm. */
export function startedByNpm() {
  if (process.env.npm_lifecycle_event === undefined) return [];
  const found = look(parent);
  return found !== undefined && SHELL.test(found.name) ? [parent, found.above] : [parent];
}

/** Ends this process (SIGTERM) once one of these is gone. */
export function endWith(pids) {
  if (pids.length === 0) return;
  const timer = setInterval(() => {
    // An id may be another's by now; whose child this process is tells it for certain.
    if (process.ppid === parent && pids.every(lives)) return;
    clearInterval(timer);
    process.kill(process.pid, 'SIGTERM');
  }, EVERY);
  timer.unref();
}
