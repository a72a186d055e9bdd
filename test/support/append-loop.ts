import { writeSync } from 'node:fs';
import { EmbeddedLog, type EmbeddedLogOptions } from '#adapters/embedded';
import { type Append, LogFailed, NO_STREAM } from '#eventsourcing';

/** The program's first argument, as JSON. */
export interface AppendLoop extends Pick<EmbeddedLogOptions, 'file' | 'splitAppends' | 'failpoint'> {
  readonly callers: number;
  /** Per caller. Without it callers go on until the log fails or the process is killed. */
  readonly lists?: number;
  /** Characters of data per event. */
  readonly size?: number;
}

/**
 * Appends until it is killed: each caller a decision to `decision-<caller>` with a follower to `follower-<caller>`. Prints each
 * acknowledged list at once, as `ack <caller> <revision>`. When the log fails, it prints for how many calls (`failed`), how often
 * the log reported it (`told`), the outcome of a later append (`later`) and how many events each decision's stream shows (`shown
 * <caller> <count>`).
 */
async function main(loop: AppendLoop): Promise<void> {
  // Written at once: an acknowledged list must be printed even when the process ends with the next instruction.
  const say = (...words: unknown[]): void => sayNow(`${words.join(' ')}\n`);
  let failures = 0;
  const log = await EmbeddedLog.open({ ...loop, onFailed: () => failures++ });
  const one = (stream: string, expected: number): Append => {
    const metadata = { time: 1, command_id: 'c', correlation: 'r', causation: null, actor: 'system:test' };
    const data = { text: 'x'.repeat(loop.size ?? 100) };
    return { stream, expected, events: [{ id: 'id', type: 'happened.v1', data, metadata }] };
  };
  const call = async (caller: number): Promise<Error | undefined> => {
    for (let next = 0; next !== loop.lists; next++) {
      const expected = next === 0 ? NO_STREAM : next - 1;
      try {
        await log.append([one(`decision-${caller}`, expected), one(`follower-${caller}`, expected)]);
      } catch (error) {
        return error as Error;
      }
      say('ack', caller, next);
    }
    return undefined;
  };
  const callers = Array.from({ length: loop.callers }, (_, caller) => caller);
  const errors = (await Promise.all(callers.map(call))).filter((error) => error !== undefined);
  if (errors.length > 0) {
    say('failed', errors.filter((error) => error instanceof LogFailed).length, errors[0]?.message);
    say('told', failures);
    const later = await log.append([one('later', NO_STREAM)]).catch((error: unknown) => error);
    say('later', later instanceof LogFailed ? 'LogFailed' : String(later));
    for (const caller of callers) {
      say('shown', caller, (await log.readStream(`decision-${caller}`, 0, 1_000_000)).length);
    }
  }
  await log.close();
}

/** Writes to the end, although the pipe may be full: then its reader has not read for a while. */
function sayNow(line: string): void {
  for (let left = Buffer.from(line); left.length > 0;) {
    try {
      left = left.subarray(writeSync(1, left));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
    }
  }
}

await main(JSON.parse(process.argv[2] ?? '') as AppendLoop);
