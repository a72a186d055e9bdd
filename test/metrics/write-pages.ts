import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { PAGES } from './pages.js';

// `npm run metrics:page`: writes docs/metrics.md, the dashboard and the rules from the table of metrics (libs/metrics/table).
for (const [file, text] of Object.entries(PAGES)) {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, await text());
}
