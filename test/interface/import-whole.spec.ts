import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { casesInFull } from '../support/alone.js';
import { RunningService, type Json } from '../support/running-service.js';

/** Bytes of each line: pieces of the body often end where a line does, so that a lost piece would leave only whole lines. */
const LINE = 256;
const ACCEPTS = ['application/json', 'application/x-ndjson'] as const;
/** Around the sizes of read-ahead, of one read from a connection, and of what is discarded of a refused body. */
const COUNTS = [1, 63, 64, 65, 255, 256, 257, 1_023, 1_024, 1_025] as const;
/** So many that the answer begins long before the last line is done. */
const MANY = 1_000;

type Sender = (write: (piece: Buffer) => Promise<void>, body: Buffer) => Promise<void>;

/** Waits until the sender's last write is on its way. */
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

const SENDERS: Readonly<Record<string, Sender>> = {
  'all at once': (write, body) => write(body),
  'first a byte, then the rest': async (write, body) => {
    await write(body.subarray(0, 1));
    await turn();
    await write(body.subarray(1));
  },
  'in pieces of 1000 bytes': async (write, body) => {
    for (let from = 0; from < body.length; from += 1_000) {
      await write(body.subarray(from, from + 1_000));
      if (from % 10_000 === 0) await turn();
    }
  },
};

describe('G4: an import is read whole', () => {
  let service: RunningService;

  beforeAll(async () => {
    service = await RunningService.start();
  });
  afterAll(() => service.discard());

  /** A line that is refused, which is quick. */
  const refused = (): object => ({ kind: 'nothing' });
  /**
   * A line that changes the same region as the others: each one waits for the one before, and the body arrives faster than lines
   * are done.
   */
  const oneByOne = (index: number): object => ({
    kind: 'region',
    slug: 'north',
    name: `North ${index}`,
    time_zone: 'America/New_York',
  });

  /** Sends this many lines; returns the last line of the answer. */
  const send = (
    line: (index: number) => object,
    count: number,
    accept: string,
    sender: Sender,
    more: Readonly<Record<string, string>> = {},
  ): Promise<Json> => {
    const body = Buffer.from(
      Array.from({ length: count }, (_, index) => `${JSON.stringify(line(index)).padEnd(LINE - 1)}\n`).join(''),
    );
    return new Promise((resolve, reject) => {
      const sending = request(
        new URL('/operators/import', service.url),
        {
          method: 'POST',
          headers: {
            authorization: `Bearer ${service.operatorToken}`,
            'content-type': 'application/x-ndjson',
            accept,
            ...more,
            ...(more['transfer-encoding'] === undefined && { 'content-length': String(body.length) }),
          },
        },
        (answer) => {
          const pieces: Buffer[] = [];
          answer.on('data', (piece: Buffer) => pieces.push(piece));
          answer.on('error', reject);
          answer.on('end', () => {
            const last = Buffer.concat(pieces).toString().trim().split('\n').at(-1) ?? '';
            resolve({ ...JSON.parse(last), connection: answer.headers.connection });
          });
        },
      );
      sending.on('error', reject);
      const write = (piece: Buffer): Promise<void> => new Promise((written) => sending.write(piece, () => written()));
      sending.flushHeaders();
      void sender(write, body).then(() => sending.end());
    });
  };

  describe.each(ACCEPTS)('with Accept: %s', (accept) => {
    const forms: readonly Readonly<Record<string, string>>[] = [{}, { 'transfer-encoding': 'chunked' }];

    it.each(Object.entries(SENDERS))('at every size, sent %s', async (name, sender) => {
      for (const count of COUNTS) {
        for (const form of [...forms, { 'idempotency-key': `${accept} ${name} ${count}` }]) {
          const { lines, refused: faults, more_refused: more = 0 } = await send(refused, count, accept, sender, form);
          expect([lines, Number(faults.length) + Number(more)]).toEqual([count, count]);
        }
      }
    });

    it.each(Object.entries(SENDERS))(
      'when it arrives faster than its lines are done, sent %s',
      async (name, sender) => {
        const all = [...forms, { 'idempotency-key': `slow ${accept} ${name}` }];
        // CI tries each form with two of the six.
        const turned = (ACCEPTS.indexOf(accept) + Object.keys(SENDERS).indexOf(name)) % all.length;
        const [first = {}, ...others] = [...all.slice(turned), ...all.slice(0, turned)];
        for (const form of casesInFull<Readonly<Record<string, string>>>(first, ...others)) {
          expect(await send(oneByOne, MANY, accept, sender, form)).toEqual({
            status: 'success',
            lines: MANY,
            changed: MANY,
            unchanged: 0,
            refused_count: 0,
            refused: [],
            connection: 'keep-alive',
          });
        }
      },
    );
  });
});
