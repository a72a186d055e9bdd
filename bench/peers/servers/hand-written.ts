import { randomUUID } from 'node:crypto';
import { fastify } from 'fastify';
import pg from 'pg';
import { eachItem, makeDatabase, orders, ready } from './database.ts';

// What somebody writes by hand who wants to reserve units without overselling: two tables, one condition, one commit. It has no
// partners, no keys, no log of requests, no repeats, no deadlines and nothing that undoes a reservation.

const CONNECTIONS = 16;
const LASTS = `interval '5 minutes'`;

const SCHEMA = `
  CREATE TABLE deal (id text PRIMARY KEY, region text NOT NULL, start_at timestamptz NOT NULL, details json NOT NULL);
  CREATE INDEX ON deal (region, start_at DESC, id);
  -- Apart from the details, so that a sale does not write them again, and with room for new versions of the row.
  CREATE TABLE inventory (
    deal_id text PRIMARY KEY, stock int NOT NULL, held int NOT NULL DEFAULT 0, sold int NOT NULL DEFAULT 0
  ) WITH (fillfactor = 50);
  CREATE TABLE reservation (
    id uuid PRIMARY KEY, deal_id text NOT NULL, units int NOT NULL, expires_at timestamptz NOT NULL
  )`;

const TAKE = `UPDATE inventory SET held = held + $2 WHERE deal_id = $1 AND held + sold + $2 <= stock`;
const UPDATE = { name: 'update', text: TAKE };
const INSERT = {
  name: 'insert',
  text: `INSERT INTO reservation VALUES ($1, $2, $3, now() + ${LASTS}) RETURNING expires_at`,
};
const BOTH = {
  name: 'both',
  text: `WITH taken AS (${TAKE} RETURNING deal_id)
    INSERT INTO reservation SELECT $3, deal_id, $2, now() + ${LASTS} FROM taken RETURNING expires_at`,
};
const ROW = `SELECT details, stock - held - sold AS num_left FROM deal JOIN inventory ON deal_id = id`;
const ONE = { name: 'one', text: `${ROW} WHERE id = $1` };
const LIST = { name: 'list', text: `${ROW} WHERE region = $1 ORDER BY start_at DESC, id LIMIT 100` };

interface Row {
  /** JSON as PostgreSQL keeps it: nothing reads it here. */
  readonly details: string;
  readonly num_left: number;
}
interface Reservation {
  readonly expires_at: Date;
}
interface Body {
  readonly deal_id: string;
  readonly num_bought: number;
}

await makeDatabase();
pg.types.setTypeParser(pg.types.builtins.JSON, (text) => text);
const { host, user, database } = orders;
const pool = new pg.Pool({ host, user, database, max: CONNECTIONS });
await pool.query(SCHEMA);
await eachItem(CONNECTIONS, async ({ id, region, starts, json }) => {
  await pool.query('INSERT INTO deal VALUES ($1, $2, $3, $4)', [id, region, starts, json]);
  await pool.query('INSERT INTO inventory VALUES ($1, 1000000000)', [id]);
});
await pool.query('VACUUM ANALYZE');

async function inTransaction(id: string, { deal_id, num_bought }: Body): Promise<Reservation | undefined> {
  const client = await pool.connect();
  try {
    await client.query('BEGIN');
    const { rowCount } = await client.query({ ...UPDATE, values: [deal_id, num_bought] });
    if (rowCount === 0) {
      await client.query('ROLLBACK');
      return undefined;
    }
    const { rows } = await client.query<Reservation>({ ...INSERT, values: [id, deal_id, num_bought] });
    await client.query('COMMIT');
    return rows[0];
  } catch (error) {
    await client.query('ROLLBACK');
    throw error;
  } finally {
    client.release();
  }
}

async function inOneStatement(id: string, { deal_id, num_bought }: Body): Promise<Reservation | undefined> {
  const { rows } = await pool.query<Reservation>({ ...BOTH, values: [deal_id, num_bought, id] });
  return rows[0];
}

const reserve = orders.way === 'transaction' ? inTransaction : inOneStatement;
const shown = ({ details, num_left }: Row): string => `${details.slice(0, -1)},"units_left":${num_left}}`;
const JSON_TYPE = 'application/json; charset=utf-8';

const app = fastify();
const body = {
  type: 'object',
  required: ['deal_id', 'num_bought'],
  properties: { deal_id: { type: 'string' }, num_bought: { type: 'integer', minimum: 1 } },
};
app.post<{ Body: Body }>('/reserve', { schema: { body } }, async (request, reply) => {
  const id = randomUUID();
  const done = await reserve(id, request.body);
  if (done === undefined) return reply.code(409).send({ error: 'sold out' });
  return { status: 'success', purchase_id: id, ...request.body, expires_at: done.expires_at };
});
app.get<{ Params: { id: string } }>('/deals/:id', async ({ params }, reply) => {
  const { rows } = await pool.query<Row>({ ...ONE, values: [params.id] });
  const [row] = rows;
  if (row === undefined) return reply.code(404).send({ error: 'there is no such deal' });
  return reply.type(JSON_TYPE).send(shown(row));
});
app.get<{ Querystring: { region: string } }>('/deals', async ({ query }, reply) => {
  const { rows } = await pool.query<Row>({ ...LIST, values: [query.region] });
  return reply.type(JSON_TYPE).send(`{"deals":[${rows.map(shown).join(',')}]}`);
});

// For the comparison itself.
app.post<{ Body: { id: string; stock: number } }>('/items', async ({ body: { id, stock } }) => {
  await pool.query('INSERT INTO inventory VALUES ($1, $2)', [id, stock]);
  return {};
});
app.get<{ Params: { id: string } }>('/taken/:id', async ({ params }) => {
  const text = 'SELECT coalesce(sum(units), 0)::int AS taken FROM reservation WHERE deal_id = $1';
  const { rows } = await pool.query<{ taken: number }>(text, [params.id]);
  return rows[0];
});

ready(await app.listen({ port: 0, host: '127.0.0.1' }));
