import { describe, expect, it } from '@jest/globals';
import { hearMistakes } from './mistakes.js';

/** The violations that lines of the log are taken for. */
function heard(...errors: readonly Error[]): readonly string[] {
  const violations: string[] = [];
  const logger = hearMistakes(({ message }) => violations.push(message));
  for (const error of errors) logger.error({ err: error }, 'the work has failed');
  logger.warn('nothing failed');
  return violations;
}

describe('the log of a simulated process', () => {
  it('shows a mistake in the program', () => {
    const found = heard(new TypeError('undefined is not a function'), new ReferenceError('it is not defined'));
    expect(found).toEqual([
      expect.stringContaining(
        'no process makes a mistake: the work has failed: TypeError: undefined is not a function',
      ),
      expect.stringContaining('ReferenceError: it is not defined'),
    ]);
  });

  it('is shown to whoever wants it', () => {
    const lines: string[] = [];
    hearMistakes(
      () => undefined,
      (line) => lines.push(line),
    ).info('a deal was set');
    expect(lines).toEqual([expect.stringContaining('a deal was set')]);
  });

  it('may tell of anything else', () => {
    expect(heard(new Error('the server does not answer'), new RangeError('no such view'))).toEqual([]);
  });
});
