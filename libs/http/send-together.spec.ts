import { afterEach, describe, expect, it } from '@jest/globals';
import fastify, { type FastifyInstance } from 'fastify';
import { thisMachine } from '#adapters/machine';
import { PATIENT } from '../../test/support/patient-fastify.js';
import { sendTogether } from './send-together.js';

describe('answers that are sent together', () => {
  it('wait for the end of the turn', () => {
    const sent: unknown[] = [];
    const atTheEnd: (() => void)[] = [];
    const time = { soon: (work: () => void): void => void atTheEnd.push(work) };
    for (const payload of ['one', 'two']) sendTogether(time, payload, (...given) => sent.push(given));
    expect(sent).toEqual([]);
    for (const work of atTheEnd) work();
    expect(sent).toEqual([
      [null, 'one'],
      [null, 'two'],
    ]);
  });

  describe('by a server', () => {
    let server: FastifyInstance;

    afterEach(() => server.close());

    it('become an error of their own request if they cannot be sent', async () => {
      server = fastify(PATIENT);
      server.addHook('onSend', (_request, _reply, payload, done) => sendTogether(thisMachine.time, payload, done));
      server.get('/good', () => ({ good: true }));
      server.get('/bad', (_request, reply) => {
        // Node refuses a status that HTTP does not have.
        reply.raw.writeHead = (status: number, ...rest: unknown[]) => {
          Reflect.deleteProperty(reply.raw, 'writeHead');
          if (status === 200) throw new RangeError('no such head');
          return reply.raw.writeHead(status, ...(rest as []));
        };
        return { bad: true };
      });
      const url = await server.listen({ port: 0, host: '127.0.0.1' });
      const answers = await Promise.all(['/good', '/bad', '/good'].map((path) => fetch(url + path)));
      expect(answers.map(({ status }) => status)).toEqual([200, 500, 200]);
      expect(await answers[1]?.json()).toMatchObject({ message: 'no such head' });
    });
  });
});
