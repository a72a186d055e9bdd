import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RunningService } from './running-service.js';

/** What a service with `DEMO` wrote for whoever tries it: a partner's key, and `user:password` for v3. */
export function demoSettings({ dataDir }: RunningService): { readonly key: string; readonly basic: string } {
  const settings = readFileSync(join(dataDir, 'demo.env'), 'utf8');
  const setting = (name: string): string => new RegExp(`^${name}='?([^'\n]+)`, 'm').exec(settings)?.[1] ?? '';
  return { key: setting('API_KEY'), basic: `${setting('V3_USERNAME')}:${setting('V3_PASSWORD')}` };
}
