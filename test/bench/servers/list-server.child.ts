import { readFileSync } from 'node:fs';
import { fastify } from 'fastify';

// A bare Fastify server that sends prepared lists: under /string as a string, which Node encodes as UTF-8 for each answer, and
// under /buffer as bytes that are ready.
const [file = ''] = process.argv.slice(2);
const lists = JSON.parse(readFileSync(file, 'utf8')) as Record<string, string>;

const app = fastify();
for (const [name, text] of Object.entries(lists)) {
  const bytes = Buffer.from(text);
  app.get(`/string/${name}`, (_request, reply) => reply.type('application/json; charset=utf-8').send(text));
  app.get(`/buffer/${name}`, (_request, reply) => reply.type('application/json; charset=utf-8').send(bytes));
}
process.stdout.write(`ready at ${await app.listen({ port: 0, host: '127.0.0.1' })}\n`);
