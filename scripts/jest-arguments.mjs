/** Makes the arguments of Jest from those that people and editors give. */
import { existsSync } from 'node:fs';
import { dirname, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The project's folder. */
export const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** Options of Jest that take the next argument. */
const WITH_VALUE = new Set([
  ...['-c', '--config', '-t', '--testNamePattern', '-w', '--maxWorkers', '--maxConcurrency', '--testTimeout'],
  ...['--seed', '--shard', '--reporters', '--outputFile', '--workerIdleMemoryLimit', '--coverageDirectory'],
]);

/**
 * Jest matches patterns with whole paths, so `hold` would find every spec in a folder `holdfast`. Here they match paths from the
 * project's folder, and the path of a spec's source finds the compiled spec.
 */
export function jestArguments(args) {
  return args.map((arg, at) => (arg.startsWith('-') || WITH_VALUE.has(args[at - 1]) ? arg : patternOf(arg)));
}

function patternOf(arg) {
  const inDist = `${escaped(root)}/dist/`;
  // Editors escape the dots of a path.
  const file = resolve(arg.replaceAll('\\', ''));
  if (/\.spec\.[jt]s$/.test(file) && existsSync(file)) {
    const from = relative(root, file)
      .replace(/^dist\//, '')
      .replace(/\.ts$/, '.js');
    return `${inDist}${escaped(from)}$`;
  }
  const pattern = arg.replace(/^(\.\/)?(dist\/)?/, '');
  return pattern.startsWith('^') ? `${inDist}(?:${pattern.slice(1)})` : `${inDist}.*(?:${pattern})`;
}

function escaped(path) {
  return path.replace(/[$()*+.?[\\\]^{|}]/g, '\\$&');
}
