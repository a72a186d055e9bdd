import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';

/** What calls another service, or is called by one; `isIP` and types only name addresses. */
const CALLS =
  /\b(fetch|WebSocket|EventSource)\(|\bimport (?!type\b|\{ isIP \})[^;]*? from 'node:(http|https|http2|net|tls|dgram)'/;
/** A `fetch` up to the end of its arguments, about. */
const FETCH = /\bfetch\((.*?)\)[;.]/gs;

/** The files whose `fetch` has no `signal`, with what ends it. */
const ENDED: Readonly<Record<string, string>> = {
  'libs/platform/surroundings.ts': 'the watch over servers waits for it for 2 s',
};

/** Contexts and the engine. */
const INSIDE = 'libs/!(adapters|command-line|http|platform)/**/*.ts';
/** What runs in the browser of an operator: it calls the service that it came from, with the browser’s own ends. */
const IN_BROWSER = /^libs\/console\/page\//;
const sourcesOf = (pattern: string): readonly string[] =>
  globSync(pattern).filter((file) => !file.endsWith('.spec.ts') && !IN_BROWSER.test(file.replaceAll('\\', '/')));
const textOf = (file: string): string => readFileSync(file, 'utf8');
const withoutSignal = (text: string): boolean =>
  [...text.matchAll(FETCH)].some(([, given = '']) => !given.includes('signal'));

describe('calls to other services', () => {
  it('go through a port that an adapter implements: so they can be simulated, and the platform chooses where they go', () => {
    expect(sourcesOf(INSIDE).filter((file) => CALLS.test(textOf(file)))).toEqual([]);
    expect(sourcesOf('libs/adapters/**/*.ts').filter((file) => CALLS.test(textOf(file))).length).toBeGreaterThan(3);
  });

  it('G14: go from the page of the console to its own service alone: no address has a host', () => {
    const sources = globSync('libs/console/page/**/*.{ts,tsx,css}');
    expect(sources.length).toBeGreaterThan(20);
    expect(sources.filter((file) => /\bhttps?:|['"`(]\/\//.test(textOf(file)))).toEqual([]);
  });

  // A call without an end keeps its work, and a stop, waiting.
  it('have an end: a `fetch` names the `signal` of `Time.timeout`', () => {
    const open = sourcesOf('libs/**/*.ts').filter((file) => withoutSignal(textOf(file)));
    expect(open).toEqual(Object.keys(ENDED));
  });

  it.each([
    ["await fetch(url, { method: 'POST' });", true, true],
    ['await fetch(url, { signal: time.timeout(1) });', true, false],
    ["import { request } from 'node:https';", true, false],
    ["import { connect, type Socket } from 'node:net';", true, false],
    ["import { isIP } from 'node:net';", false, false],
    ["import type { Socket } from 'node:net';", false, false],
    ['await this.fetched(url);', false, false],
  ])('%s', (code, calls, isOpen) => {
    expect([CALLS.test(code), withoutSignal(code)]).toEqual([calls, isOpen]);
  });
});
