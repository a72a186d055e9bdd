import { EmbeddedState } from '#adapters/embedded';

/**
 * A process that a test kills, or whose disk is full: works on a state database, and prints one line for each acknowledged call.
 */
const [file = '', mode = ''] = process.argv.slice(2);
const state = await EmbeddedState.open(file, () => Buffer.alloc(32, 1));
const say = (...words: string[]): void => void process.stdout.write(`${words.join(' ')}\n`);
const record = (index: number) => ({ credential: 'partner:acme', key: `order-${index}` });

async function work(index: number): Promise<void> {
  const key = await state.keys.obtain(`person-${index}`);
  say('obtained', `${index}`, key?.toString('hex') ?? '');
  await state.vault.put(`card-${index}`, Buffer.from(`secret ${index}`));
  say('sealed', `${index}`);
  await state.records.begin(record(index), 'f', `c${index}`, Date.now());
  say('began', `${index}`);
  if (index % 2 === 0) {
    await state.records.keep(record(index), Buffer.from(`yes ${index}`), Date.now());
    say('kept', `${index}`);
  }
  if (index % 3 === 0) {
    await state.keys.destroy(`person-${index}`);
    say('destroyed', `${index}`);
  }
}

if (mode === 'work') {
  let next = 0;
  const one = async (): Promise<never> => {
    for (;;) await work(next++);
  };
  await Promise.all(Array.from({ length: 16 }, one));
}

if (mode === 'fill') {
  const failures: string[] = [];
  const outcome = (call: Promise<unknown>): Promise<void> =>
    call.then(
      () => void failures.push('answered'),
      (error: unknown) => void failures.push((error as Error).name),
    );
  await state.keys.obtain('person-1');
  try {
    for (let index = 0; ; index++) {
      await state.records.begin(record(index), 'f', `c${index}`, Date.now());
      await state.records.keep(record(index), Buffer.alloc(20_000, index), Date.now());
      say('kept', `${index}`);
    }
  } catch (error) {
    say('failed', (error as Error).name);
  }
  await Promise.all([
    outcome(state.keys.get('person-1')),
    outcome(state.keys.obtain('person-1')),
    outcome(state.keys.destroy('person-1')),
    outcome(state.vault.put('card', Buffer.alloc(1))),
    outcome(state.vault.get('card')),
    outcome(state.vault.destroy('card')),
    outcome(state.records.begin(record(0), 'f', 'c', Date.now())),
    outcome(state.records.keep(record(0), Buffer.alloc(1), Date.now())),
    outcome(state.records.free(record(0))),
  ]);
  say('then', ...failures);
  say('told', (await state.failed).name);
  await state.close();
  say('closed');
}
