import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterAll, describe, expect, it } from '@jest/globals';
import { thisMachine } from '#adapters/machine';
import { tempFolder } from '../../test/support/temp-folder.js';
import type { CommandFailure, ExitCode } from './command-failure.js';
import { importFile } from './import-file.js';
import type { Form } from './output.js';
import { ProjectionsClient } from './projections-client.js';
import { ServiceClient } from './service-client.js';

const DONE = { status: 'success', lines: 3, changed: 2, unchanged: 1, refused_count: 0, refused: [] };
const PROGRESS = { progress: { lines: 2, changed: 1, unchanged: 1, refused: 0 } };

describe('G4 G8: the import of a file', () => {
  const folder = tempFolder();
  const file = join(folder.path, 'catalogue.ndjson');
  writeFileSync(file, '{"kind":"region"}\n'.repeat(20_000));
  afterAll(() => folder.remove());

  /** Imports a file at a server with this answer. */
  async function imported(
    answer: (request: IncomingMessage, response: ServerResponse) => void,
    { form = 'people', isTTY = false }: { readonly form?: Form; readonly isTTY?: boolean } = {},
  ): Promise<{ out: string; err: string; code: ExitCode | undefined; failure: CommandFailure | undefined }> {
    const server = createServer(answer).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const out = new PassThrough({ encoding: 'utf8' });
    const err = Object.assign(new PassThrough({ encoding: 'utf8' }), { isTTY });
    const service = new ServiceClient({ url, token: 'x' }, thisMachine.time);
    let code: ExitCode | undefined;
    const session = {
      service,
      projections: new ProjectionsClient(service),
      output: { out, err, form },
      interrupted: new AbortController().signal,
      time: thisMachine.time,
      endWith: (other: ExitCode) => (code = other),
    };
    const failure = await importFile(session, { file }).then(
      () => undefined,
      (error: unknown) => error as CommandFailure,
    );
    server.closeAllConnections();
    server.close();
    return { out: String(out.read() ?? ''), err: String(err.read() ?? ''), code, failure };
  }

  it('sends all of it, and tells how far it is while it sends', async () => {
    let sent = 0;
    const { out, err, code, failure } = await imported(
      (request, response) => {
        expect(request.headers).toMatchObject({
          'content-type': 'application/x-ndjson',
          accept: 'application/x-ndjson',
        });
        response.write(`${JSON.stringify(PROGRESS)}\n`);
        void text(request).then((all) => {
          sent = all.length;
          response.end(`${JSON.stringify(DONE)}\n`);
        });
      },
      { isTTY: true },
    );
    expect([failure, code, sent]).toEqual([undefined, undefined, 360_000]);
    expect(err).toBe('read 2 lines: 1 changed, 1 unchanged, 0 refused\n');
    expect(out).toBe('FIELD          VALUE\nlines          3\nchanged        2\nunchanged      1\nrefused count  0\n');
  });

  it('is a failure for machines if lines are refused, or if it has no end', async () => {
    const refused = { ...DONE, refused_count: 1, refused: [{ line: 2, kind: 'deal', reason: 'slug is missing' }] };
    const some = await imported((_, response) => void response.end(JSON.stringify(refused)), { form: 'json' });
    expect([some.code, JSON.parse(some.out), some.err]).toEqual([1, refused, '']);
    const none = await imported((_, response) => void response.end(JSON.stringify(PROGRESS)));
    expect(none.failure).toMatchObject({ exitCode: 3, message: 'The import broke off: send the file again.' });
    const no = await imported((_, response) => void response.writeHead(403).end('{"error_msg":"for operators"}'));
    expect(no.failure).toMatchObject({ exitCode: 2, message: expect.stringContaining('for operators') });
  });
});
