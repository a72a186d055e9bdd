import { existsSync, readFileSync } from 'node:fs';
import { ServerResponse } from 'node:http';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

/** Milliseconds between two reads of the file. */
const LOOK_EVERY = 20;

/**
 * For a process on a machine with a wrong clock: it loads this module before its own. The file holds the difference in
 * milliseconds; without a file the clock is right. The file may change while the process runs.
 */
export function clockApart(file: string): Readonly<Record<string, string>> {
  return {
    NODE_OPTIONS: `--import ${pathToFileURL(resolve('dist/test/support/clock-apart.js')).href}`,
    CLOCK_APART: file,
  };
}

const { CLOCK_APART: offsetFile } = process.env;
if (offsetFile !== undefined) {
  const right = Date.now;
  const look = (): number => (existsSync(offsetFile) ? Number(readFileSync(offsetFile, 'utf8')) : 0);
  let apart = look();
  setInterval(() => (apart = look()), LOOK_EVERY).unref();
  Date.now = () => right() + apart;
  globalThis.Date = new Proxy(Date, {
    construct: (target, given: unknown[], own) =>
      Reflect.construct(target, given.length === 0 ? [Date.now()] : given, own) as Date,
  });
  // Node itself dates answers by the machine's clock, past this one.
  const { writeHead } = ServerResponse.prototype;
  ServerResponse.prototype.writeHead = function dated(this: ServerResponse, ...head: unknown[]) {
    this.setHeader('Date', new Date().toUTCString());
    return Reflect.apply(writeHead, this, head) as ServerResponse;
  };
}
