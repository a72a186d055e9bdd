import { spawnSync } from 'node:child_process';
import { describe, expect, it } from '@jest/globals';
import { thisMachine } from '#adapters/machine';
import { LinesOfTurn } from './lines-of-turn.js';

describe('the log lines of one turn', () => {
  it('are written together, in their order, at its end', async () => {
    const written: string[] = [];
    const lines = new LinesOfTurn(
      { write: (text: string) => written.push(text), flushSync: () => undefined },
      thisMachine.time,
    );
    lines.write('one\n');
    lines.write('two\n');
    expect(written).toEqual([]);
    await thisMachine.time.turn();
    lines.write('three\n');
    await thisMachine.time.turn();
    expect(written).toEqual(['one\ntwo\n', 'three\n']);
  });

  it('are written at once if pino asks for it after a fatal line', () => {
    const done: string[] = [];
    const to = { write: (text: string) => done.push(text), flushSync: () => void done.push('flushed') };
    const lines = new LinesOfTurn(to, thisMachine.time);
    lines.write('fatal\n');
    lines.flushSync();
    expect(done).toEqual(['fatal\n', 'flushed']);
  });

  it.each([
    ['exits in the middle of a turn', 'process.exit(3)', 3],
    ['fails in the middle of a turn', 'throw new Error("a fault")', 1],
    ['ends because it has nothing more to do', '', 0],
  ])('are all there if the process %s', (_, end, code) => {
    const log = new URL('process-log.js', import.meta.url);
    const machine = new URL('../../adapters/machine/index.js', import.meta.url);
    const program = `
      import { openProcessLog } from ${JSON.stringify(log.href)};
      import { thisMachine } from ${JSON.stringify(machine.href)};
      const log = await openProcessLog('api', 'info', thisMachine.time);
      log.info('one'); log.info('two');
      await thisMachine.time.turn();
      log.info('three');
      ${end}`;
    const { stderr, status } = spawnSync(process.execPath, ['--input-type=module', '--eval', program], {
      encoding: 'utf8',
    });
    const words = stderr
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { msg: string }).msg);
    // Not in their order: another thread may still write the first ones.
    const ending = code === 1 ? ['an unexpected error ends the process'] : [];
    expect([status, words.toSorted()]).toEqual([code, [...ending, 'one', 'three', 'two']]);
  });
});
