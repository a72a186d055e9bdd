import { describe, expect, it } from '@jest/globals';
import type { Line, Run } from '../result.js';
import { ROW_IDS, specOf } from '../rows.table.js';
import { withTable } from './benchmarks-file.js';
import { tablesOf } from './table.js';

const side = { name: 'Holdfast', rate: 4_000, p50: 2.84, p99: 16, cpu: 60, threads: { MainThread: 50 }, load: 10 };
const reserve = (ratio: number): Line => ({
  row: 'reserve',
  figure: { median: ratio, lowest: ratio - 0.1, highest: ratio + 0.1 },
  connections: 64,
  sides: [side, { ...side, name: 'bare', rate: 8_000 }],
  sync: 0.1,
});
const refund = (seconds: number): Line => ({
  row: 'refund',
  figure: { median: seconds, lowest: seconds, highest: seconds },
  sync: 0.1,
});
const run = (...lines: Line[]): Run => ({
  at: '2030-01-02T03:04:05.678Z',
  machine: { processors: 'A processor', cores: 2, memory: 8, system: 'Linux', node: 'v24.0.0' },
  options: { turns: 5, seconds: 2, connections: 64, scale: 1 },
  lines,
});

/** The cells of the first table's line for a row. */
async function figures(title: string, ...runs: Run[]): Promise<readonly string[]> {
  const line = (await tablesOf(runs)).split('\n').find((each) => each.includes(title)) ?? '';
  return line
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim());
}

describe('the tables of the benchmark', () => {
  it('show the median of several runs, and the range over all their turns', async () => {
    const cells = await figures('one hot deal', run(reserve(0.4)), run(reserve(0.6)), run(reserve(0.55)));
    expect(cells.slice(1, 6)).toEqual(['0.55', '0.30 to 0.70', '0.50', '0.70', 'limit']);
  });

  it('show the median of several runs for what a figure comes from, too', async () => {
    const of = (rate: number, MainThread: number): Run =>
      run({ ...reserve(0.5), sides: [{ ...side, rate, threads: { MainThread, projector: 60 } }, side] });
    const runs = [of(1_000, 50), of(3_000, 90), of(2_000, 70)];
    const details = (await tablesOf(runs)).split('\n').filter((each) => each.includes('one hot deal'))[1];
    expect(details).toMatch(/ 2000 \/ 4000 .* MainThread 70, projector 60 /);
  });

  it('say whether a figure meets its limit and its goal, also where lower is better', async () => {
    const met = async (...lines: Line[]): Promise<string | undefined> =>
      (await figures('1000 coupons', run(...lines)))[5];
    expect(await met(refund(0.2))).toBe('goal');
    expect(await met(refund(0.7))).toBe('limit');
    expect(await met(refund(8))).toBe('no');
    expect((await figures('one hot deal', run(reserve(0.7))))[5]).toBe('goal');
    expect((await figures('one hot deal', run(reserve(0.49))))[5]).toBe('no');
  });

  it('show a row that failed in any run as failed, with the reason', async () => {
    const failed: Line = { row: 'reserve', failed: 'unexpected answer: 503\r\n{}', sync: 0.1 };
    const runs = [run(reserve(0.9)), run(failed)];
    expect((await figures('one hot deal', ...runs)).slice(1, 6)).toEqual(['failed', '', '0.50', '0.70', 'no']);
    expect(await tablesOf(runs)).toContain('| unexpected answer: 503 |');
  });

  it('replace those in BENCHMARKS.md, and nothing else', async () => {
    const text =
      'before\n\n<!-- table: npm run bench -- --table FILE -->\n\nthe last table\n\n<!-- end of the table -->\n\nafter\n';
    const made = await withTable(text, [run(reserve(0.5))]);
    expect(made).toMatch(/^before\n\n<!-- table: /);
    expect(made).toMatch(/<!-- end of the table -->\n\nafter\n$/);
    expect(made).not.toContain('the last table');
    expect(made).toContain('reserve, one hot deal');
    expect(await withTable(made, [run(reserve(0.5))])).toBe(made);
    await expect(withTable('no place', [run()])).rejects.toThrow('BENCHMARKS.md has no lines');
  });

  describe('in BENCHMARKS.md', () => {
    const PLACE = '<!-- table: npm run bench -- --table FILE -->\n\n<!-- end of the table -->\n';
    const append: Line = { row: 'append', figure: { median: 0.6, lowest: 0.5, highest: 0.7 }, sync: 0.1 };

    it('have the ten rows that matter', () => {
      const shown = ROW_IDS.filter((row) => specOf(row).onPage === true && specOf(row).cluster !== 'only');
      expect(shown).toHaveLength(10);
    });

    it('leave the other rows out, and name those of all rows that miss their limit', async () => {
      const made = await withTable(PLACE, [run(append, reserve(0.4), refund(0.2))]);
      expect(made).toContain('reserve, one hot deal');
      expect(made).not.toContain('| append through');
      expect(made).toContain('2 of 3 lines with a limit miss it: `append`, `reserve`.');
      expect(await withTable(PLACE, [run(refund(0.2))])).toContain('All 1 lines with a limit meet it.');
    });

    it('count the runs that a result is the median of', async () => {
      const made = await withTable(PLACE, [{ ...run(reserve(0.5)), runs: 7 }, run(reserve(0.5))]);
      expect(made).toContain('Made by 8 runs (2030-01-02) with');
    });
  });

  describe('of a cluster', () => {
    const on = (apis: number, ...lines: Line[]): Run => ({
      ...run(...lines),
      cluster: { apis, servers: 'FerretDB (a stand-in for MongoDB)' },
    });
    const reserveCpu: Line = {
      row: 'reserve-cpu',
      figure: { median: 3, lowest: 3, highest: 3 },
      sides: [{ ...side, background: 80_000, uses: { FerretDB: 900 } }],
      sync: 0.1,
    };

    it('show runs with different numbers of APIs in separate lines', async () => {
      const runs = [on(1, reserve(0.1)), on(2, reserve(0.2))];
      expect((await figures('one hot deal: 1 API ', ...runs))[1]).toBe('0.10');
      expect((await figures('one hot deal: 2 APIs', ...runs))[1]).toBe('0.20');
    });

    it('have limits only in the rows that are about clusters, and show what the servers cost', async () => {
      const runs = [on(1, reserve(0.1), reserveCpu)];
      expect((await figures('reserve, one hot deal', ...runs)).slice(3, 6)).toEqual(['', '', '']);
      expect((await figures('CPU of our own', ...runs)).slice(3, 6)).toEqual(['2.00', '', 'no']);
      expect(await tablesOf(runs)).toContain('CPU µs of FerretDB: 900; CPU ms per second without requests: 80 ');
    });

    it('have a place of their own, which names the servers', async () => {
      const text =
        '<!-- table: npm run bench -- --table FILE -->\n\none process\n\n<!-- end of the table -->\n' +
        '<!-- table: npm run bench -- --table FILE, of runs with --cluster -->\n\na cluster\n\n<!-- end of the table -->\n';
      const made = await withTable(text, [on(2, reserve(0.5))]);
      expect(made).toContain('one process');
      expect(made).not.toContain('a cluster\n');
      expect(made).toContain('on FerretDB (a stand-in for MongoDB) with 2 cores');
      const both = await withTable(text, [on(2, reserve(0.5)), run(reserve(0.5))]);
      expect(both).not.toContain('one process');
    });
  });
});
