import { describe, expect, it } from '@jest/globals';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { choose, DRAW, LIST } from './choose.js';
import { defects, parsePatch } from './defects.js';
import { fileOf, generate } from './generate.js';
import { drawnIds, idsToFind, mutantList, withoutEffect } from './list.js';
import { mutantsOf } from './mutate.js';
import { plantedSources } from './plant.js';
import type { Planted } from './replacement.js';
import { ROOT } from './targets.js';
import { transpile } from './transpile.js';

const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** The ids of the faults whose sources have changed so that they need a new place, or are no TypeScript any more. */
function lost(faults: readonly Planted[]): readonly string[] {
  return faults.flatMap((fault) => {
    try {
      for (const [file, text] of plantedSources(fault)) transpile(file, text);
      return [];
    } catch (error) {
      return [`${fault.id}: ${String(error)}`];
    }
  });
}

describe('the generator of mutants', () => {
  const kinds = (text: string): readonly string[] =>
    mutantsOf('libs/a.ts', `function f() { ${text} }`).map(({ kind, description }) => `${kind}: ${description}`);

  it.each([
    ['if (isOpen()) run();', ['negate: !(isOpen()) instead of isOpen()']],
    ['if (!isOpen()) run();', ['negate: isOpen() instead of !isOpen()']],
    ['return a && b;', ['drop-left: b instead of a && b', 'drop-right: a instead of a && b']],
    ['return a || b;', ['drop-left: b instead of a || b', 'drop-right: a instead of a || b']],
    ['return a < b;', ['boundary: a <= b instead of a < b']],
    ['return a >= b;', ['boundary: a > b instead of a >= b']],
    ['return a === b;', ['equality: a !== b instead of a === b']],
    ['return a === b ? 1 : 2;', ['equality: a !== b instead of a === b']],
    ['return a ?? b;', ['drop-default: a instead of a ?? b']],
    ['return a > 7;', ['boundary: a >= 7 instead of a > 7', 'off-by-one: a > 8 instead of a > 7']],
    ['return a + 1 + 7;', []],
    [
      'if (isShut()) { log(); return 1; } run();',
      ['negate: !(isShut()) instead of isShut()', 'remove-guard: without if (isShut()) { log(); return 1; }'],
    ],
    ['if (isShut()) return 1; else run();', ['negate: !(isShut()) instead of isShut()']],
  ])('%s', (text, expected) => {
    expect(kinds(text)).toEqual(expected);
  });

  it('leaves the code around a removed guard as it was', () => {
    const [, removed] = mutantsOf('libs/a.ts', 'for (const a of b) if (a.shut()) break;\nrun();\n');
    expect(removed?.replacements).toEqual([expect.objectContaining({ from: 'if (a.shut()) break;', to: ';' })]);
  });

  it('adds lines to a text that occurs again, until it is unique', () => {
    const text = 'const a = () => {\n  return x < y;\n};\nconst b = () => {\n  return x < y;\n};\n';
    const [first, second] = mutantsOf('libs/a.ts', text);
    expect(first?.replacements[0]?.from).toBe('const a = () => {\n  return x < y;');
    expect(second?.replacements[0]?.from).toBe('const b = () => {\n  return x < y;');
    expect(first?.id).not.toBe(second?.id);
  });

  it('names the function', () => {
    const text = 'class A { #b(): boolean { return [1].some((c) => c > d); } }\nconst e = { f: () => g > h };';
    expect(mutantsOf('libs/a.ts', text).map(({ within }) => within)).toEqual(['A.#b', 'e.f']);
  });
});

describe('the list of mutants', () => {
  const { generated, mutants, sources } = mutantList();

  it('has what the generator makes of the sources, as far as they are still the same', () => {
    const unchanged = new Set(Object.keys(sources).filter((file) => sha256(read(file)) === sources[file]));
    const today = generate(ROOT);
    const made = new Map(today.mutants.map((mutant) => [mutant.id, mutant]));
    for (const mutant of mutants.filter((each) => unchanged.has(fileOf(each)) && each.moved === undefined)) {
      expect(made.get(mutant.id)).toEqual(mutant);
    }
    if (unchanged.size < Object.keys(sources).length) return;
    expect(generated).toBe(today.mutants.length);
    expect(choose(today.mutants, fileOf, LIST)).toEqual(mutants);
  });

  it('has each mutant once', () => {
    expect(new Set(mutants.map(({ id }) => id)).size).toBe(LIST.count);
    const results = mutants.flatMap((each) => [...plantedSources(each)].map(([file, text]) => `${file}\n${text}`));
    expect(new Set(results).size).toBe(LIST.count);
  });

  it('has a place in today’s sources for each, and each compiles', () => {
    expect(lost(mutants)).toEqual([]);
  });
});

describe('the drawn mutants', () => {
  it('are those that the seed draws from the list', () => {
    const { mutants } = mutantList();
    expect(drawnIds()).toEqual(choose(mutants, ({ area }) => area, DRAW).map(({ id }) => id));
    expect(drawnIds()).toHaveLength(DRAW.count);
  });
});

describe('the drawn mutants without effect', () => {
  it('are drawn ones, each once, with a proof', () => {
    const ids = withoutEffect().map(({ id }) => id);
    expect(drawnIds()).toEqual(expect.arrayContaining(ids));
    expect(new Set(ids).size).toBe(ids.length);
    for (const { proof } of withoutEffect()) expect(proof.length).toBeGreaterThan(100);
  });

  it('leave at least thirty to be found', () => {
    expect(idsToFind().length).toBeGreaterThanOrEqual(30);
  });
});

describe('the old defects', () => {
  it('are read from patches, by hunks', () => {
    const patch =
      'What it does.\n\ndiff --git a/x.ts b/x.ts\n--- a/x.ts\n+++ b/x.ts\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n@@ -9 +9,2 @@ f()\n d\n+e\n';
    expect(parsePatch('name', patch)).toEqual({
      id: 'name',
      description: 'What it does.',
      replacements: [
        { file: 'x.ts', from: 'a\nb\n', to: 'a\nc\n' },
        { file: 'x.ts', from: 'd\n', to: 'd\ne\n' },
      ],
    });
  });

  it('have a place in today’s sources each, and compile', () => {
    expect(defects().length).toBeGreaterThan(0);
    expect(lost(defects())).toEqual([]);
  });
});
