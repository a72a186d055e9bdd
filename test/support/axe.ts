import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Browser } from './browser.js';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
/** WCAG 2.0 to 2.2, levels A and AA. */
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];

/** The WCAG violations of the open page, each with the first element that has it. */
export async function violationsOf(browser: Browser): Promise<readonly string[]> {
  await browser.ask(`${AXE}; 0`);
  // Every element is checked; only what nobody reads is left out: where the good elements stand, and the paths to all of them.
  const options = { runOnly: RULES, resultTypes: ['violations'], selectors: false };
  return browser.ask(`axe.run(${JSON.stringify(options)}).then(({ violations }) =>
    violations.map(({ id, nodes }) => id + ' x' + nodes.length + ': ' + nodes[0].html))`);
}
