import { spawnSync } from 'node:child_process';
import { describe, expect, it } from '@jest/globals';
import { thisMachine } from '#adapters/machine';
import { VirtualTime } from '../../../test/support/virtual-time.js';
import { LinesTogether } from './lines-together.js';

const info = (words: string): string => `{"level":"info","msg":"${words}"}\n`;

describe('log lines', () => {
  it('are written together, in their order: usual ones after 10 ms, with a warning at the end of its turn', async () => {
    const written: string[] = [];
    const time = new VirtualTime();
    const lines = new LinesTogether({ write: (text: string) => written.push(text), flushSync: () => undefined }, time);
    lines.write(info('one'));
    await time.pass(9);
    lines.write(info('two'));
    expect(written).toEqual([]);
    await time.pass(1);
    expect(written).toEqual([info('one') + info('two')]);
    lines.write(info('three'));
    lines.write('{"level":"warn"}\n');
    lines.write(info('four'));
    expect(written).toHaveLength(1);
    await time.pass(0);
    expect(written.slice(1)).toEqual([`${info('three')}{"level":"warn"}\n${info('four')}`]);
    lines.write(info('x'.repeat(64 * 1024)));
    await time.pass(0);
    expect(written).toHaveLength(3);
    await time.pass(100);
    expect(written).toHaveLength(3);
  });

  it('are written at once if pino asks for it after a fatal line', () => {
    const done: string[] = [];
    const to = { write: (text: string) => done.push(text), flushSync: () => void done.push('flushed') };
    const lines = new LinesTogether(to, thisMachine.time);
    lines.write('fatal\n');
    lines.flushSync();
    expect(done).toEqual(['fatal\n', 'flushed']);
  });

  it.each([
    ['exits while they wait', 'process.exit(3)', 3],
    ['fails while they wait', 'throw new Error("a fault")', 1],
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
