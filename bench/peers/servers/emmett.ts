import { randomUUID } from 'node:crypto';
import { CommandHandler, IllegalStateError, projections, type Event } from '@event-driven-io/emmett';
import { getPostgreSQLEventStore, pongoSingleStreamProjection } from '@event-driven-io/emmett-postgresql';
import { fastify } from 'fastify';
import pg from 'pg';
import { eachItem, makeDatabase, orders, ready } from './database.ts';

// Event sourcing with Emmett, as its documentation shows it: a stream per deal, a command handler that loads the stream, decides
// and appends, and an inline projection for what is read. The commands of a stream wait for each other in this process, because
// they would otherwise conflict and be tried again. The way `emmett-kept` keeps the state of each stream in memory and only
// appends, at the expected version: Emmett has no such handler, and its own loads the whole stream for each command.

const CONNECTIONS = 16;
const MINUTES_5 = 300_000;

type Published = Event<'DealPublished', { region: string; starts: string; stock: number; json: string }>;
type Reserved = Event<'UnitsReserved', { reservation: string; units: number; expires: string }>;
interface Stock {
  readonly stock: number;
  readonly held: number;
}
// A type, because an interface is no `PongoDocument`.
type Deal = { region: string; starts: string; details: object };

const initialState = (): Stock => ({ stock: 0, held: 0 });
function evolve(state: Stock, { type, data }: Published | Reserved): Stock {
  switch (type) {
    case 'DealPublished':
      return { stock: data.stock, held: 0 };
    case 'UnitsReserved':
      return { ...state, held: state.held + data.units };
  }
}
function decide({ stock, held }: Stock, reservation: string, units: number): Reserved {
  if (held + units > stock) throw new IllegalStateError('sold out');
  const expires = new Date(Date.now() + MINUTES_5).toISOString();
  return { type: 'UnitsReserved', data: { reservation, units, expires } };
}

await makeDatabase();
const { host, user, database } = orders;
const pool = new pg.Pool({ host, user, database, max: CONNECTIONS });
const store = getPostgreSQLEventStore(`postgresql://${user}@/${database}?host=${encodeURIComponent(host)}`, {
  connectionOptions: { pool },
  projections: projections.inline([
    pongoSingleStreamProjection<Deal, Published>({
      collectionName: 'deals',
      canHandle: ['DealPublished'],
      evolve: (_deal: Deal | null, { data }: Published) => {
        const { region, starts, json } = data;
        return { region, starts, details: JSON.parse(json) as object };
      },
    }),
  ]),
});
await store.schema.migrate();

const publish = (id: string, data: Published['data']): Promise<unknown> =>
  store.appendToStream<Published>(`deal-${id}`, [{ type: 'DealPublished', data }], {
    expectedStreamVersion: 'STREAM_DOES_NOT_EXIST',
  });
const addHot = (id: string, stock: number): Promise<unknown> =>
  publish(id, { region: 'hotland', starts: new Date().toISOString(), stock, json: '{}' });
// Alone: it makes the table of the projection, and Emmett takes a race of two who make it for a conflict in the stream.
await addHot('first', 0);
await eachItem(CONNECTIONS, ({ id, ...data }) => publish(id, { ...data, stock: 1_000_000_000 }));
await pool.query(`CREATE INDEX ON deals ((data ->> 'region'), (data ->> 'starts') DESC, _id)`);
await pool.query('VACUUM ANALYZE');

const handle = CommandHandler<Stock, Published | Reserved>({ evolve, initialState });
async function byHandler(stream: string, reservation: string, units: number): Promise<void> {
  await handle(store, stream, (state) => decide(state, reservation, units));
}

interface Kept {
  readonly state: Stock;
  readonly version: bigint;
}
const kept = new Map<string, Kept>();
async function load(stream: string): Promise<Kept> {
  const options = { evolve, initialState };
  const { state, currentStreamVersion } = await store.aggregateStream<Stock, Published | Reserved>(stream, options);
  return { state, version: currentStreamVersion };
}
async function byKeptState(stream: string, reservation: string, units: number): Promise<void> {
  const known = kept.get(stream) ?? (await load(stream));
  const event = decide(known.state, reservation, units);
  const options = { expectedStreamVersion: known.version };
  const { nextExpectedStreamVersion } = await store.appendToStream<Reserved>(stream, [event], options);
  kept.set(stream, { state: evolve(known.state, event), version: nextExpectedStreamVersion });
}

const queues = new Map<string, Promise<unknown>>();
/** Does the work of a stream one after another. */
function inTurn<T>(stream: string, work: () => Promise<T>): Promise<T> {
  const done = (queues.get(stream) ?? Promise.resolve()).then(work);
  queues.set(
    stream,
    done.catch(() => undefined),
  );
  return done;
}

const take = orders.way === 'emmett' ? byHandler : byKeptState;
interface Body {
  readonly deal_id: string;
  readonly num_bought: number;
}

const app = fastify();
const JSON_TYPE = 'application/json; charset=utf-8';
const body = {
  type: 'object',
  required: ['deal_id', 'num_bought'],
  properties: { deal_id: { type: 'string' }, num_bought: { type: 'integer', minimum: 1 } },
};
app.post<{ Body: Body }>('/reserve', { schema: { body } }, async (request, reply) => {
  const { deal_id, num_bought } = request.body;
  const id = randomUUID();
  const stream = `deal-${deal_id}`;
  try {
    await inTurn(stream, () => take(stream, id, num_bought));
  } catch (error) {
    if (error instanceof IllegalStateError) return reply.code(409).send({ error: error.message });
    throw error;
  }
  return { status: 'success', purchase_id: id, deal_id, num_bought };
});
// Lists by SQL on the projection's table: `find` of Pongo has neither an order nor a limit.
const ONE = { name: 'one', text: `SELECT data ->> 'details' AS details FROM deals WHERE _id = $1` };
const LIST = {
  name: 'list',
  text: `SELECT data ->> 'details' AS details FROM deals WHERE data ->> 'region' = $1
    ORDER BY data ->> 'starts' DESC, _id LIMIT 100`,
};
app.get<{ Params: { id: string } }>('/deals/:id', async ({ params }, reply) => {
  const { rows } = await pool.query<{ details: string }>({ ...ONE, values: [`deal-${params.id}`] });
  const [row] = rows;
  if (row === undefined) return reply.code(404).send({ error: 'there is no such deal' });
  return reply.type(JSON_TYPE).send(row.details);
});
app.get<{ Querystring: { region: string } }>('/deals', async ({ query }, reply) => {
  const { rows } = await pool.query<{ details: string }>({ ...LIST, values: [query.region] });
  return reply.type(JSON_TYPE).send(`{"deals":[${rows.map(({ details }) => details).join(',')}]}`);
});

// For the comparison itself.
app.post<{ Body: { id: string; stock: number } }>('/items', async ({ body: { id, stock } }) => {
  await addHot(id, stock);
  return {};
});
app.get<{ Params: { id: string } }>('/taken/:id', async ({ params }) => {
  const { events } = await store.readStream<Published | Reserved>(`deal-${params.id}`);
  return { taken: events.reduce((sum, { type, data }) => (type === 'UnitsReserved' ? sum + data.units : sum), 0) };
});

ready(await app.listen({ port: 0, host: '127.0.0.1' }));
