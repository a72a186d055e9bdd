import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Browser } from './browser.js';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
/** WCAG 2.0 to 2.2, levels A and AA. */
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];

/** The WCAG violations of the open page, each with the first element that has it. */
export async function violationsOf(browser: Browser): Promise<readonly string[]> {
  await browser.ask(`${AXE}; 0`);
  return browser.ask(`axe.run({ runOnly: ${JSON.stringify(RULES)} }).then(({ violations }) =>
    violations.map(({ id, nodes }) => id + ' x' + nodes.length + ': ' + nodes[0].html))`);
}
