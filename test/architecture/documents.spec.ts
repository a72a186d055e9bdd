import { existsSync, globSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, it } from '@jest/globals';

/** Every page of the project. */
const PAGES = globSync('**/*.md', { exclude: (name) => ['node_modules', 'dist', 'data', '.git'].includes(name) });
const LINK = /\[[^\]]*\]\(([^)\s]+)\)/g;
const CODE = /```.*?```|`[^`\n]*`/gs;
const ELSEWHERE = /^[a-z]+:/;

/** How GitHub names the place of a title. */
function anchorOf(title: string): string {
  return title
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replace(/\s/g, '-');
}

function anchorsOf(page: string): readonly string[] {
  const text = readFileSync(page, 'utf8').replace(/```.*?```/gs, '');
  return [...text.matchAll(/^#+ (.*)$/gm)].map(([, title = '']) => anchorOf(title));
}

/** The links of a page that lead nowhere. */
function brokenLinksOf(page: string, text: string): readonly string[] {
  return [...text.replace(CODE, '').matchAll(LINK)]
    .map(([, link = '']) => link)
    .filter((link) => !ELSEWHERE.test(link))
    .filter((link) => {
      const [path = '', anchor] = link.split('#');
      const target = path === '' ? page : normalize(join(dirname(page), path));
      if (!existsSync(target)) return true;
      return anchor !== undefined && (statSync(target).isDirectory() || !anchorsOf(target).includes(anchor));
    });
}

const wordsOf = (page: string): number => readFileSync(page, 'utf8').split(/\s+/).filter(Boolean).length;
const linesOf = (page: string): number => readFileSync(page, 'utf8').trimEnd().split('\n').length;

describe('the pages of the project', () => {
  it.each(PAGES)('%s has only links that lead somewhere', (page) => {
    expect(brokenLinksOf(page, readFileSync(page, 'utf8'))).toEqual([]);
  });

  it('would show a link to no file or to no title', () => {
    const text = '[none](docs/none.md) [title](README.md#none) [here](#none) `[code](none)` [page](README.md)';
    expect(brokenLinksOf('CONTRIBUTING.md', text)).toEqual(['docs/none.md', 'README.md#none', '#none']);
  });

  it('list every decision in docs/decisions/README.md', () => {
    const index = readFileSync('docs/decisions/README.md', 'utf8');
    const records = globSync('*.md', { cwd: 'docs/decisions' }).filter((name) => name !== 'README.md');
    expect(records.filter((name) => !index.includes(`(${name})`))).toEqual([]);
    expect(records.length).toBeGreaterThan(18);
  });

  it('are short where everybody begins: BENCHMARKS.md has at most 150 lines, ARCHITECTURE.md 2500 words', () => {
    expect(linesOf('BENCHMARKS.md')).toBeLessThanOrEqual(150);
    expect(wordsOf('ARCHITECTURE.md')).toBeLessThanOrEqual(2500);
  });
});
