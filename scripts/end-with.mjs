/**
 * Ends this process, as a signal would, when one of the processes that started it is gone. npm and its shell may die of a signal
 * without passing it on; then this process would keep its port and its folder.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import process from 'node:process';
import { clearInterval, setInterval } from 'node:timers';

/** Milliseconds between two checks. */
const EVERY = 200;
const SHELL = /^-?(sh|bash|dash|ash|ksh|zsh|busybox)$/;

/** The process that started this one, read when this file is loaded: the parent may change later. */
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

/** The name of a process and its parent; undefined if the system does not say. */
function look(pid) {
  try {
    const [, name, above] = /^\d+ \((.*)\) \S (\d+) /s.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'));
    return { name, above: Number(above) };
  } catch {
    const output = spawnSync('ps', ['-o', 'ppid=,comm=', '-p', String(pid)], { encoding: 'utf8' }).stdout ?? '';
    const [, above, name] = /^\s*(\d+)\s+(?:.*\/)?(\S+)\s*$/.exec(output) ?? [];
    return above === undefined ? undefined : { name, above: Number(above) };
  }
}

/** The processes of npm that started this one; none without npm. */
export function startedByNpm() {
  if (process.env.npm_lifecycle_event === undefined) return [];
  const found = look(parent);
  return found !== undefined && SHELL.test(found.name) ? [parent, found.above] : [parent];
}

/** Ends this process (SIGTERM) once one of these is gone. */
export function endWith(pids) {
  if (pids.length === 0) return;
  const timer = setInterval(() => {
    // Another process may have a parent's id by now; a changed parent id of this process is certain.
    if (process.ppid === parent && pids.every(lives)) return;
    clearInterval(timer);
    process.kill(process.pid, 'SIGTERM');
  }, EVERY);
  timer.unref();
}
