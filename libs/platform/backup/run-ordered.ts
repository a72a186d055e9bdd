import { once } from 'node:events';
import type { StateNews } from '#backup';
import type { Environment } from '../environment.js';
import type { FromBackup, ToBackup } from './ordered.messages.js';
import { runBackup } from './run-backup.js';

/** Takes the backup that the service which has started this process orders, and tells it how that goes. */
export async function runOrderedBackup(environment: Environment): Promise<void> {
  const stopping = new AbortController();
  // Without the service nobody hears of it.
  process.once('disconnect', () => process.exit(1));
  process.once('SIGTERM', () => stopping.abort());
  const say = (message: FromBackup): void => void process.send?.(message);
  const [order] = (await once(process, 'message')) as [ToBackup];
  if (order.kind !== 'order') throw new TypeError('a backup begins with its order');
  try {
    await runBackup(
      environment,
      { folder: order.folder, keep: order.keep },
      {
        signal: stopping.signal,
        ask: () => newsOf(say),
        progress: (step) => say({ kind: 'progress', ...step }),
        warn: (words) => say({ kind: 'warning', words }),
        taken: ({ events, bytes, inAll }) => say({ kind: 'taken', events, bytes, inAll }),
      },
    );
  } catch (error) {
    say({ kind: 'failed', words: error instanceof Error ? error.message : String(error) });
  }
  process.disconnect();
}

async function* newsOf(say: (message: FromBackup) => void): AsyncGenerator<StateNews> {
  const waiting: ToBackup[] = [];
  let wake = (): void => undefined;
  const take = (message: ToBackup): void => {
    waiting.push(message);
    wake();
  };
  process.on('message', take);
  say({ kind: 'ask' });
  try {
    for (;;) {
      const message = waiting.shift();
      if (message === undefined) await new Promise<void>((resolve) => (wake = resolve));
      else if (message.kind === 'news') yield* message.news;
      else if (message.kind === 'over') {
        if (message.failure !== undefined) throw new Error(message.failure);
        return;
      }
    }
  } finally {
    process.off('message', take);
  }
}
