import { join } from 'node:path';
import { DEMO_DEAL, DEMO_FILE } from './first-start/demo.js';
import type { Reached } from './reach.js';

/** The line that a start prints as soon as it listens. It may take a while until it is ready. */
export function beginning(url: string): string {
  return `Holdfast listens at ${url} and is getting ready: ${url}/health/ready shows its state.`;
}

/**
 * The text that a start prints when it is ready: the address, and lines to try. It never has a key.
 * @param options.demo whether to show the lines that buy a deal of the demo
 * @param options.advice whom the service refuses, and what to set (`Reached`)
 * @param options.admin where operators and auditors call, if not where everybody does
 * @param options.alone whether this process does everything; if not, it answers calls, and workers do the rest
 */
export function greeting(options: {
  url: string;
  dataDir: string;
  demo: boolean;
  alone: boolean;
  seconds: string;
  advice: string | undefined;
  admin?: Pick<Reached, 'url' | 'advice'> | undefined;
}): string {
  const { url, dataDir, demo, alone, seconds, advice, admin } = options;
  const lines = [
    alone
      ? `Holdfast is ready at ${url} after ${seconds} s. Its data is in ${dataDir}. Stop it with Ctrl-C.`
      : `Holdfast's API is ready at ${url} after ${seconds} s. It answers calls; start workers beside it: npm run worker.`,
    `${url}/docs describes every call. Operators and auditors send Authorization: Bearer with the token in`,
    `${join(dataDir, 'operator.token')} or auditor.token.`,
    ...(advice === undefined ? [] : [advice]),
    ...(admin === undefined ? [] : [`They call ${admin.url} (ADMIN_HOST): no other address answers them.`]),
    ...(admin?.advice === undefined ? [] : [`ADMIN_HOST: ${admin.advice}`]),
  ];
  if (demo)
    lines.push(
      '',
      'Hold a deal for five minutes, then claim it, from another terminal:',
      '',
      ...buyLines(url, dataDir),
    );
  return lines.join('\n');
}

/** The line that a worker prints when it is ready. */
export function workerGreeting({ url, seconds }: { url: string; seconds: string }): string {
  return `Holdfast's worker is ready at ${url} after ${seconds} s: ${url}/health/ready shows its state. Stop it with Ctrl-C.`;
}

/** The lines of curl that buy a deal of the demo; the README shows the same. */
export function buyLines(url: string, dataDir: string): string[] {
  return [
    `  set -a; . ${quoted(join(dataDir, DEMO_FILE).replace(/^(?![./])/, './'))}; set +a`,
    `  HOLDFAST=${url}`,
    `  curl -s -H "X-Api-Key: $API_KEY" "$HOLDFAST/v1/deals?region=boston"`,
    `  HELD=$(curl -s -X POST -H "X-Api-Key: $API_KEY" "$HOLDFAST/purchases/reserve?deal_id=${DEMO_DEAL}&num_bought=2")`,
    `  ID=$(echo "$HELD" | sed 's/.*"purchase_id":"\\([0-9a-f]*\\)".*/\\1/')`,
    `  curl -s -X PUT -H "X-Api-Key: $API_KEY" "$HOLDFAST/purchases/$ID/claim?user_id=$USER_ID"`,
  ];
}

/** A path for a shell, in quotes if it needs them. */
function quoted(path: string): string {
  return /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`;
}
