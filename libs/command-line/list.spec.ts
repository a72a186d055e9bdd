import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PassThrough } from 'node:stream';
import { Command } from 'commander';
import { describe, expect, it } from '@jest/globals';
import { thisMachine } from '#adapters/machine';
import { addCalls } from './add-calls.js';
import type { Call } from './calls/call.js';
import type { CommandFailure } from './command-failure.js';
import type { Form } from './output.js';
import { ProjectionsClient } from './projections-client.js';
import { ServiceClient } from './service-client.js';

/** A list route as one entry of the table. */
const USERS: Call = {
  noun: 'users',
  verb: 'list',
  route: 'GET /operators/users',
  kind: 'list',
  key: 'users',
  columns: ['id', 'email', 'state.active'],
  options: { from: 'the first moment', partner: 'only those of a partner' },
};

const ANN = { id: 'a1', email: 'ann@example.com', state: { active: true } };
const BOB = { id: 'b2', email: '=cmd|calc', state: { active: false } };
const END = '{"end":{"found":2,"examined":9}}';
const LINES = [ANN, { progress: { examined: 5, found: 1 } }, BOB].map((line) => JSON.stringify(line));

interface Ran {
  readonly asked: string;
  readonly out: string;
  readonly err: string;
  readonly failure: CommandFailure | undefined;
}

/** Runs a command of this table against a server with this answer. */
async function run(
  args: string,
  answer: (response: ServerResponse) => void,
  { form = 'people', isTTY = false }: { readonly form?: Form; readonly isTTY?: boolean } = {},
): Promise<Ran> {
  let asked = '';
  const server = createServer((request: IncomingMessage, response) => {
    asked = request.url ?? '';
    answer(response);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const out = new PassThrough({ encoding: 'utf8' });
  const err = Object.assign(new PassThrough({ encoding: 'utf8' }), { isTTY });
  const service = new ServiceClient({ url, token: 'x' }, thisMachine.time);
  const session = {
    service,
    projections: new ProjectionsClient(service),
    output: { out, err, form },
    interrupted: new AbortController().signal,
    time: thisMachine.time,
    endWith: () => undefined,
  };
  const program = new Command('holdfast').exitOverride().configureOutput({ writeErr: () => undefined });
  addCalls(program, [USERS], () => session);
  const failure = await program.parseAsync(args.split(' '), { from: 'user' }).then(
    () => undefined,
    (error: unknown) => error as CommandFailure,
  );
  server.closeAllConnections();
  server.close();
  return { asked, out: String(out.read() ?? ''), err: String(err.read() ?? ''), failure };
}

const part =
  (next: string | null) =>
  (response: ServerResponse): void =>
    void response.end(JSON.stringify({ status: 'success', users: [ANN, BOB], examined: 2, next }));
const whole = (response: ServerResponse): void => void response.end(`${[...LINES, END].join('\n')}\n`);

describe('G8: a list with parts, which is one entry of the table', () => {
  it('shows people the part that they ask for, and how to go on', async () => {
    const { asked, out, failure } = await run(
      'users list --partner acme --from 2026-11-01T00:00:00Z --limit 2',
      part('p2'),
    );
    expect(failure).toBeUndefined();
    expect(new URL(asked, 'http://x').searchParams.toString()).toBe(
      'limit=2&from=2026-11-01T00%3A00%3A00Z&partner=acme',
    );
    expect(out).toBe(
      'ID  EMAIL            ACTIVE\n' +
        'a1  ann@example.com  true\n' +
        'b2  =cmd|calc        false\n' +
        'There are more: go on with --after p2, or see all with --all.\n',
    );
    expect((await run('users list --after p2', part(null))).out).not.toContain('There are more');
  });

  it('prints the part for machines, and for spreadsheets without a formula', async () => {
    const { out } = await run('users list', part('p2'), { form: 'json' });
    expect(JSON.parse(out)).toEqual({ status: 'success', users: [ANN, BOB], examined: 2, next: 'p2' });
    const csv = await run('users list', part('p2'), { form: 'csv' });
    expect(csv.out).toBe("id,email,state.active\na1,ann@example.com,true\nb2,'=cmd|calc,false\n");
  });

  it('shows all of it as it comes, with the progress in a terminal', async () => {
    const { asked, out, err, failure } = await run('users list --all --partner acme', whole, { isTTY: true });
    expect([asked, failure]).toEqual(['/operators/users?partner=acme&format=ndjson', undefined]);
    expect(out.split('\n').map((line) => line.trimEnd())).toEqual([
      `${'ID'.padEnd(26)}${'EMAIL'.padEnd(26)}ACTIVE`,
      `${'a1'.padEnd(26)}${'ann@example.com'.padEnd(26)}true`,
      `${'b2'.padEnd(26)}${'=cmd|calc'.padEnd(26)}false`,
      '',
    ]);
    expect(err).toBe('1 found, 5 examined\n2 found, 9 examined\n');
    expect((await run('users list --all', whole)).err).toBe('2 found, 9 examined\n');
  });

  it('prints all of it for machines in lines, and for spreadsheets as CSV', async () => {
    const json = await run('users list --all', whole, { form: 'json' });
    expect([json.out, json.err]).toEqual([`${[...LINES, END].join('\n')}\n`, '']);
    const csv = await run('users list --all', whole, { form: 'csv' });
    expect(csv.out).toBe("id,email,state.active\na1,ann@example.com,true\nb2,'=cmd|calc,false\n");
  });

  it.each(['people', 'json', 'csv'] as const)('fails if it has no end: %s', async (form) => {
    const { failure } = await run('users list --all', (response) => void response.end(LINES.join('\n')), { form });
    expect(failure).toMatchObject({ exitCode: 3, message: 'The answer broke off: it is not whole.' });
    const cut = await run('users list --all', (response) => response.write('{"id":1}\n', () => response.destroy()), {
      form,
    });
    expect(cut.failure).toMatchObject({ exitCode: 3, message: expect.stringContaining('broke off') });
  });

  it('has its titles when nothing is found, and takes no limit for all', async () => {
    const empty = await run('users list --all', (response) => void response.end('{"end":{"found":0,"examined":9}}'), {
      form: 'csv',
    });
    expect([empty.out, empty.failure]).toEqual(['id,email,state.active\n', undefined]);
    expect((await run('users list --all --limit 1', whole)).failure).toMatchObject({
      code: 'commander.conflictingOption',
    });
  });

  it('cannot control the terminal, and breaks no line of CSV', async () => {
    const row = JSON.stringify({ id: 'a\u001b[2J', email: 'x\ny', state: 1 });
    const answer = (response: ServerResponse): void => void response.end(`${row}\n${END}\n`);
    expect((await run('users list --all', answer)).out).toMatch(/\na\ufffd\[2J +x y +–\n$/);
    expect((await run('users list --all', answer, { form: 'csv' })).out).toBe(
      'id,email,state.active\na\ufffd[2J,"x\ny",\n',
    );
  });
});
