import { existsSync, readFileSync, writeFileSync } from 'node:fs';

/** For tests of crashes: what happens at an append to the log. */
export type Failpoint =
  /** The process kills itself when this append has become durable (0: before the first is written). */
  | { readonly afterAppend: number }
  /** The writer waits where a file beside the log says (see `heldBy`). */
  | 'held';

/** Milliseconds between two looks whether the writer may go on. */
const LOOK_EVERY = 2;

/**
 * The failpoint of a writer. It is called before each batch and after each append that has become durable, with the number of
 * those appends.
 */
export function atFailpoint(failpoint: Failpoint, file: string): (appends: number) => void {
  if (failpoint === 'held') return heldBy(`${file}-hold`, `${file}-held`);
  return (appends) => {
    if (appends === failpoint.afterAppend) process.kill(process.pid, 'SIGKILL');
  };
}

/**
 * The file `<log>-hold` has numbers of appends, such as `0,1,3`, which count from the first call that finds it. After each of
 * them the writer makes the file `<log>-held`, and waits until somebody removes it, or the order. Whoever then stops the process
 * (SIGSTOP) and copies its folder has the files that a kill there leaves.
 */
function heldBy(order: string, held: string): (appends: number) => void {
  let from: number | undefined;
  let after: readonly number[] = [];
  const asleep = new Int32Array(new SharedArrayBuffer(4));
  return (appends) => {
    if (from === undefined) {
      if (!existsSync(order)) return;
      from = appends;
      after = readFileSync(order, 'utf8').split(',').map(Number);
    }
    if (after[0] !== appends - from || !existsSync(order)) return;
    after = after.slice(1);
    writeFileSync(held, '');
    while (existsSync(held) && existsSync(order)) Atomics.wait(asleep, 0, 0, LOOK_EVERY);
  };
}
