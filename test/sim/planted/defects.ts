import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Planted, Replacement } from './replacement.js';
import { ROOT } from './targets.js';

const FOLDER = join(ROOT, 'test/sim/planted/defects');

/** The faults that Holdfast once had, as they were, on today's code: one patch each. The id is the name of its file. */
export function defects(): readonly Planted[] {
  return readdirSync(FOLDER)
    .filter((name) => name.endsWith('.patch'))
    .sort()
    .map((name) => parsePatch(name.replace(/\.patch$/, ''), readFileSync(join(FOLDER, name), 'utf8')));
}

/**
 * Reads a unified diff. The text before its first file describes the fault. Each hunk is a replacement of its old lines by its
 * new ones; their line numbers do not matter.
 */
export function parsePatch(id: string, patch: string): Planted {
  const [description = '', ...files] = patch.split(/^diff --git .*\n/m);
  return { id, description: description.trim(), replacements: files.flatMap(hunksOf) };
}

function hunksOf(part: string): readonly Replacement[] {
  const file = /^--- a\/(.+)$/m.exec(part)?.[1];
  if (file === undefined) throw new Error(`a part of a patch names no file:\n${part}`);
  return part
    .split(/^@@.*@@.*\n/m)
    .slice(1)
    .map((hunk) => {
      const lines = hunk.split('\n').slice(0, -1);
      const side = (mark: string): string =>
        lines
          .filter((line) => line.startsWith(' ') || line.startsWith(mark))
          .map((line) => `${line.slice(1)}\n`)
          .join('');
      return { file, from: side('-'), to: side('+') };
    });
}
