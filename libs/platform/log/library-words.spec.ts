import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { expect, it } from '@jest/globals';

it('G9: warnings of Node and of libraries in a thread become lines of the log, and print nothing themselves', async () => {
  const program = `
    const { parentPort } = require('node:worker_threads');
    import(${JSON.stringify(new URL('./library-words.js', import.meta.url).href)}).then(({ takeLibraryWords }) => {
      const printed = (text) => parentPort.postMessage(text);
      takeLibraryWords({ warning: (name, message) => printed(name + ': ' + message), printed });
      process.emitWarning('Setting the TLS ServerName to an IP address', 'DeprecationWarning', 'DEP0123');
      process.emitWarning('of SQLite', 'ExperimentalWarning');
      console.warn('an option %s is unknown', 'x');
      console.error('an option x is unknown');
    });`;
  const worker = new Worker(program, { eval: true, stderr: true });
  const [told, printed]: [unknown[], unknown[]] = [[], []];
  worker.on('message', (text) => told.push(text));
  worker.stderr.on('data', (bytes) => printed.push(String(bytes)));
  await once(worker, 'exit');
  // A warning comes in a later turn.
  expect(told).toEqual(['an option x is unknown', 'DeprecationWarning: Setting the TLS ServerName to an IP address']);
  expect(printed).toEqual([]);
});
