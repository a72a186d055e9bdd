import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The command loop, and what runs work, writes followers and builds views. A new file in one of these folders is looked at, too. */
const PATTERNS: readonly string[] = [
  'libs/eventsourcing/command-loop/*.ts',
  'libs/eventsourcing/work/*.ts',
  'libs/eventsourcing/projections/*.ts',
  'libs/eventsourcing/findings/view-ahead-of-log.ts',
  'libs/**/{followers,*.followers,*.work}.ts',
  'libs/purchasing/{complete-missing,checkout/outcome}.ts',
  'libs/adapters/embedded/{attempts,timers}.ts',
];
/** How a file declares that it does the work of a list. */
const WORK = /: (?:readonly )?Work(?:<\w+>)?(?:\[\])? (?:=|\{)/;

/**
 * The files whose branches are looked at, in a fixed order.
 * @param root the root of the tree
 */
export function watchedFiles(root: string): readonly string[] {
  const find = (...patterns: readonly string[]): readonly string[] =>
    globSync([...patterns], { cwd: root })
      .map((file) => file.replaceAll('\\', '/'))
      .filter((file) => !file.endsWith('.spec.ts'));
  const works = find('libs/**/*.ts').filter((file) => WORK.test(readFileSync(join(root, file), 'utf8')));
  return [...new Set([...find(...PATTERNS), ...works])].sort();
}
