import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { expect, it } from '@jest/globals';

it('G9: warnings of Node and of libraries in a thread become lines of the log, and print nothing themselves', async () => {
  const program = `
    const { parentPort } = require('node:worker_threads');
    import(${JSON.stringify(new URL('./thread-words.js', import.meta.url).href)}).then(({ passOnWords }) => {
      passOnWords((text) => parentPort.postMessage(text));
      process.emitWarning('Setting the TLS ServerName to an IP address', 'DeprecationWarning', 'DEP0123');
      process.emitWarning('of SQLite', 'ExperimentalWarning');
      console.warn('an option %s is unknown', 'x');
    });`;
  const worker = new Worker(program, { eval: true, stderr: true });
  const [told, printed]: [unknown[], unknown[]] = [[], []];
  worker.on('message', (text) => told.push(text));
  worker.stderr.on('data', (bytes) => printed.push(String(bytes)));
  await once(worker, 'exit');
  expect(new Set(told)).toEqual(
    new Set(['DeprecationWarning: Setting the TLS ServerName to an IP address', 'an option x is unknown']),
  );
  expect(printed).toEqual([]);
});
