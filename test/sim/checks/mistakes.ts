import { type Logger, pino } from 'pino';
import { Violation } from './violation.js';

/** Errors that Node makes when a program does something that cannot be done. Nothing from outside leads to them. */
const MISTAKES = /^(TypeError|ReferenceError)$/;

interface Line {
  readonly msg?: string;
  readonly err?: { readonly type?: string; readonly message?: string; readonly stack?: string };
}

/**
 * A logger for the processes of a world that fails it for a mistake in the program. Work that fails is done again later, so
 * without this a mistake that does not happen again would show nowhere.
 * @param fail called with a Violation
 */
export function hearMistakes(fail: (violation: Violation) => void): Logger {
  const write = (line: string): void => {
    const { msg = '', err } = JSON.parse(line) as Line;
    if (MISTAKES.test(err?.type ?? ''))
      fail(new Violation('no process makes a mistake', msg, String(err?.stack ?? err?.message)));
  };
  return pino({ level: 'warn' }, { write });
}
