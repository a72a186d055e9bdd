import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CoverageReport, type CoverageReportOptions } from 'monocart-coverage-reports';
import { ROOT } from '../planted/targets.js';
import { watchedFiles } from './files.js';

/** One way that the code can go. */
export interface Branch {
  readonly file: string;
  /** Names it within its file without a number of a line, so that the name lasts while other lines change. */
  readonly name: string;
  readonly line: number;
  readonly reached: boolean;
}

/** The part of Istanbul's format that this needs. */
interface Place {
  readonly line?: number;
  readonly column: number;
}
interface Range {
  readonly start: Place;
  readonly end: Place;
}
interface FileCoverage {
  readonly branchMap: Readonly<
    Record<string, { readonly type: string; readonly loc: Range; readonly locations: Range[] }>
  >;
  readonly b: Readonly<Record<string, readonly number[]>>;
}

/**
 * The branches of the watched files, and whether one of the processes reached them.
 * @param folder what Node wrote for NODE_V8_COVERAGE
 * @param output a folder that the report may write to
 */
export async function branchesIn(folder: string, output: string): Promise<readonly Branch[]> {
  const wanted = watchedFiles(ROOT).filter(hasCode);
  const options: CoverageReportOptions = {
    outputDir: output,
    baseDir: ROOT,
    logging: 'error',
    reports: [['json', { file: 'branches.json' }]],
    entryFilter: ({ url }: { url: string }) => wanted.some((file) => url.endsWith(`/${compiled(file)}`)),
  };
  const report = new CoverageReport(options);
  await report.addFromDir(folder);
  await report.generate();
  const files = JSON.parse(readFileSync(join(output, 'branches.json'), 'utf8')) as Record<string, FileCoverage>;
  const missing = wanted.filter((file) => files[file] === undefined);
  if (missing.length > 0)
    throw new Error(`no process loaded ${missing.join(', ')}, or the tree was built without source maps`);
  return wanted.flatMap((file) => branchesOf(file, files[file] as FileCoverage));
}

function compiled(file: string): string {
  return `dist/${file.replace(/ts$/, 'js')}`;
}

/** Whether anything of a file is left when its types are gone. */
function hasCode(file: string): boolean {
  return !/^export {};\s*(\/\/.*)?$/.test(readFileSync(join(ROOT, compiled(file)), 'utf8').trim());
}

function branchesOf(file: string, { branchMap, b }: FileCoverage): readonly Branch[] {
  const lines = readFileSync(join(ROOT, file), 'utf8').split('\n');
  const seen = new Map<string, number>();
  return Object.entries(branchMap).flatMap(([id, { type, loc, locations }]) =>
    locations.map((range, index) => {
      const line = range.start.line ?? loc.start.line ?? 0;
      const words = `${statement(lines, loc)} → ${type === 'IfStatement' ? (index === 0 ? 'true' : 'false') : textIn(lines, range)}`;
      const before = seen.get(words) ?? 0;
      seen.set(words, before + 1);
      const name = before === 0 ? words : `${words} (${before + 1})`;
      return { file, name, line, reached: (b[id]?.[index] ?? 0) > 0 };
    }),
  );
}

/** The line that a statement begins on. */
function statement(lines: readonly string[], { start }: Range): string {
  return (lines[(start.line ?? 1) - 1] ?? '').trim();
}

/** The text of a range, on one line. */
function textIn(lines: readonly string[], { start, end }: Range): string {
  const first = (start.line ?? 1) - 1;
  const last = (end.line ?? first + 1) - 1;
  const part = lines.slice(first, last + 1);
  part[part.length - 1] = (part.at(-1) ?? '').slice(0, end.column);
  part[0] = (part[0] ?? '').slice(start.column);
  return part.map((each) => each.trim()).join(' ');
}
