import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { tempFolder } from '../../support/temp-folder.js';
import { patience, size, tell } from '../size.js';

const CODES = size('SCALE_POOL', 50_000);
const MEBIBYTE = 1024 * 1024;
/** Megabytes of the process's heap: less than the texts of a million codes need. */
const HEAP = 48;
/** The most MiB that codes may add to what the process holds, however many there are. */
const MOST = 2;

interface Told {
  readonly heaps: readonly number[];
  readonly added: number;
  readonly unsold: number;
  readonly sold: number;
}

describe(`a deal with a pool of ${CODES} codes, and a heap of ${HEAP} MB`, () => {
  it(
    'D10: is imported, declined and sold as a whole, and the process holds as much as before',
    async () => {
      const folder = tempFolder();
      const child = resolve('dist/test/campaigns/scale/pool.child.js');
      const flags = ['--expose-gc', `--max-old-space-size=${HEAP}`, '--disable-warning=ExperimentalWarning'];
      const args = [...flags, child, folder.path, String(CODES)];
      const running = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
      let printed = '';
      running.stdout.on('data', (chunk: Buffer) => (printed += chunk.toString()));
      const [code] = (await once(running, 'close')) as [number | null];
      folder.remove();
      expect(code).toBe(0);
      const { heaps, ...counts } = JSON.parse(printed) as Told;
      expect(counts).toEqual({ added: CODES, unsold: 0, sold: CODES });
      const [before = 0, ...after] = heaps;
      const more = after.map((heap) => (heap - before) / MEBIBYTE);
      tell(
        'SCALE_POOL',
        `MiB more after the import, the declines, the sales: ${more.map((each) => each.toFixed(1)).join(', ')}`,
      );
      expect(Math.max(...more)).toBeLessThan(MOST);
    },
    patience(CODES, 1),
  );
});
