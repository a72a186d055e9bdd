import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { tempFolder } from '../../test/support/temp-folder.js';
import { write } from './output.js';
import { printable } from './printable.js';
import { thisMachine } from '#adapters/machine';
import type { Timer } from '#eventsourcing';
import { COMMAND_LINE } from '#kernel/bounds';
import { ServiceClient } from './service-client.js';
import { targetOf } from './target.js';

/** Sends a request to a server with this answer. */
async function asked(answer: (response: ServerResponse) => void): Promise<unknown> {
  const server = createServer((_, response) => answer(response)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const result = await new ServiceClient({ url, token: 'x' }, thisMachine.time)
    .ask('GET', '/operators/projections')
    .catch((error: unknown) => error);
  server.closeAllConnections();
  server.close();
  return result;
}

describe('G8: any server at the address', () => {
  it('cannot fill the memory: an endless answer is read only up to a bound', async () => {
    let sent = 0;
    const result = await asked((response) => {
      const piece = Buffer.alloc(65_536, ' ');
      const more = (): void => {
        while (!response.destroyed && response.write(piece)) sent += piece.length;
        if (!response.destroyed) response.once('drain', more);
      };
      more();
    });
    expect(result).toMatchObject({
      exitCode: 1,
      message: expect.stringContaining(`larger than ${COMMAND_LINE.answer} bytes`),
    });
    expect(sent).toBeLessThan(4 * COMMAND_LINE.answer);
  });

  it('may break off or send something other than JSON', async () => {
    const broken = await asked((response) => {
      response.writeHead(200, { 'content-length': 100 });
      response.write('{"a":', () => response.destroy());
    });
    expect(broken).toMatchObject({ exitCode: 3, message: expect.stringContaining('broke off') });
    expect(await asked((response) => response.writeHead(500).end('<html>'))).toMatchObject({ exitCode: 1 });
  });

  it('may send lines that never end, or break off between them', async () => {
    const read = async (answer: (response: ServerResponse) => void, signal = new AbortController().signal) => {
      const server = createServer((_, response) => answer(response)).listen(0, '127.0.0.1');
      await once(server, 'listening');
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      const lines: string[] = [];
      try {
        for await (const line of new ServiceClient({ url, token: 'x' }, thisMachine.time).lines(
          '/auditors/log',
          signal,
        ))
          lines.push(line);
      } catch (error) {
        lines.push(String(error));
      } finally {
        server.closeAllConnections();
        server.close();
      }
      return lines;
    };
    const endless = await read((response) => {
      const more = (): void => {
        while (!response.destroyed && response.write(Buffer.alloc(65_536, 'x')));
        if (!response.destroyed) response.once('drain', more);
      };
      more();
    });
    expect(endless).toEqual([expect.stringContaining(`larger than ${COMMAND_LINE.answer} bytes`)]);
    const broken = await read((response) => response.write('{"a":1}\n{"b"', () => response.destroy()));
    expect(broken).toEqual(['{"a":1}', expect.stringContaining('broke off')]);
    expect(await read((response) => response.end('é\n\nlast'))).toEqual(['é', '', 'last']);
    expect(await read((response) => response.writeHead(503).end('{}'))).toEqual([expect.stringContaining('HTTP 503')]);
    const left = await read((response) => void response.write('one\n'), AbortSignal.timeout(200));
    expect(left).toEqual(['one', expect.stringContaining('Interrupted')]);
  });

  it('is not called silent while the caller is slow to take its lines, and leaves no timer behind', async () => {
    let timers = 0;
    const time = {
      ...thisMachine.time,
      after(_: number, work: () => void) {
        timers += 1;
        return thisMachine.time.after(1_000_000, work);
      },
      cancel(timer: Timer | undefined) {
        timers -= 1;
        thisMachine.time.cancel(timer);
      },
    };
    const server = createServer((_, response) => void response.write('one\n')).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const lines = new ServiceClient({ url, token: 'x' }, time).lines('/auditors/log', new AbortController().signal);
    expect([await lines.next(), timers]).toEqual([{ value: 'one', done: false }, 0]);
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
    const none = new ServiceClient({ url, token: 'x' }, time).lines('/auditors/log', new AbortController().signal);
    timers = 0;
    await expect(none.next()).rejects.toThrow('No service answers');
    expect(timers).toBe(0);
  });

  it('cannot control the terminal by control characters, line marks or direction marks', () => {
    const out = new PassThrough({ encoding: 'utf8' });
    write({ out, err: new PassThrough(), form: 'people' }, {}, 'a\u001b[2Jb\u009b1mc\u202ed\u2028e\rf\ng');
    expect(out.read()).toBe('a\ufffd[2Jb\ufffd1mc\ufffdd\ufffde\ufffdf\ng\n');
    expect(printable('São – 東京 👍🏽')).toBe('São – 東京 👍🏽');
  });
});

it('G8: a file that is too large is not a token file', () => {
  const folder = tempFolder();
  const file = join(folder.path, 'x.token');
  writeFileSync(file, 'x'.repeat(5_000));
  expect(() => targetOf({ tokenFile: file }, {})).toThrow(/larger than 4096 bytes: it is not a token/);
  folder.remove();
});
