import { type Logger, pino } from 'pino';
import { Violation } from './violation.js';

/** Errors that Node makes when a program does something that cannot be done. Nothing from outside leads to them. */
const MISTAKES = /^(TypeError|ReferenceError)$/;

interface Line {
  readonly msg?: string;
  readonly err?: { readonly type?: string; readonly message?: string; readonly stack?: string };
}

/**
 * A logger for the processes of a world that fails it for a mistake in the program: the projector, for example, starts again after
 * any error. What the work of a row throws is in no log: operators see it among the stuck work.
 * @param fail called with a Violation
 * @param logged called with each line that the processes log; without it, they log warnings and errors only
 */
export function hearMistakes(fail: (violation: Violation) => void, logged?: (line: string) => void): Logger {
  const write = (line: string): void => {
    logged?.(line);
    const { msg = '', err } = JSON.parse(line) as Line;
    if (MISTAKES.test(err?.type ?? ''))
      fail(new Violation('no process makes a mistake', msg, String(err?.stack ?? err?.message)));
  };
  return pino({ level: logged === undefined ? 'warn' : 'info' }, { write });
}
