import { BullMqTimers } from '#adapters/bullmq';

/**
 * A worker process that a test kills or ends: prints what it runs. A third argument is the key of a row that it never finishes.
 */
const [url = '', prefix = '', hanging] = process.argv.slice(2);
const say = (...words: string[]): void => void process.stdout.write(`${words.join(' ')}\n`);
process.on('unhandledRejection', (error) => {
  say('unhandled', String(error));
  process.exit(1);
});

const timers = await BullMqTimers.open({
  url,
  prefix,
  clock: { now: () => Date.now() },
  lists: ['holds'],
  onError: (error) => say('error', String(error)),
  away: (message) => say('warning', message),
  warn: (message) => say('warning', message),
});
timers.start({
  lists: ['holds'],
  due: async () => ({ rows: [{ key: 'r1', dueAt: 0 }], next: Infinity }),
  run: async (_, key) => {
    say('running', key);
    if (key === hanging) await new Promise(() => undefined);
    return { state: 'gone' };
  },
});
if (hanging !== undefined) timers.noticed('holds', [{ key: hanging, dueAt: 0 }]);
process.once('SIGTERM', () => {
  void timers.close().then(() => say('closed'));
});
say('started');
