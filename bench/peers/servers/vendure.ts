import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import {
  bootstrap,
  DefaultLogger,
  DefaultSearchPlugin,
  dummyPaymentHandler,
  FastImporterService,
  JobQueueService,
  LanguageCode,
  LogLevel,
  TaxCategoryService,
  RequestContextService,
  SearchService,
  type InitialData,
  type VendureConfig,
} from '@vendure/core';
import { populateInitialData } from '@vendure/core/cli/populate.js';
import { GlobalFlag } from '@vendure/common/lib/generated-types';
import pg from 'pg';
import { eachItem, makeDatabase, orders, ready } from './database.ts';

// Vendure as its documentation installs it, with one country, one way of shipping and the payment method for tests, which
// accepts everything without asking anybody.

const CONNECTIONS = 16;
/** Milliseconds between two looks whether the index is complete. */
const LOOK_EVERY = 500;
const PLENTY = 1_000_000_000;
const languageCode = LanguageCode.en;

const INITIAL: InitialData = {
  defaultLanguage: languageCode,
  defaultZone: 'Americas',
  countries: [{ name: 'United States', code: 'US', zone: 'Americas' }],
  taxRates: [{ name: 'Standard Tax', percentage: 0 }],
  shippingMethods: [{ name: 'By mail', price: 0 }],
  paymentMethods: [
    {
      name: 'dummy',
      handler: { code: dummyPaymentHandler.code, arguments: [{ name: 'automaticSettle', value: 'false' }] },
    },
  ],
  collections: [],
};

/** A port that is free now: Vendure does not say which one it chose. */
function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}

await makeDatabase();
const { host, user, database } = orders;
const pool = new pg.Pool({ host, user, database, max: 2 });
const port = await freePort();

/** Calls for the comparison itself. */
async function own(request: IncomingMessage, response: ServerResponse, next: () => void): Promise<void> {
  const [, kind, id = ''] = (request.url ?? '').split('/');
  const answer = (value: object): unknown =>
    response.setHeader('content-type', 'application/json').end(JSON.stringify(value));
  if (kind === 'items') {
    const asked = JSON.parse(await text(request)) as { id: string; stock: number };
    answer({ variant: await add(asked.id, '{}', asked.stock) });
  } else if (kind === 'taken') {
    const sql = `SELECT coalesce(sum(quantity), 0)::int AS taken FROM stock_movement JOIN product_variant v
      ON v.id = "productVariantId" WHERE type = 'ALLOCATION' AND v.sku = $1`;
    const { rows } = await pool.query<{ taken: number }>(sql, [id]);
    answer(rows[0] ?? {});
  } else next();
}

const config: VendureConfig = {
  apiOptions: {
    ...{ hostname: '127.0.0.1', port, adminApiPath: 'admin-api', shopApiPath: 'shop-api' },
    middleware: [{ route: '/', handler: (...call: Parameters<typeof own>) => void own(...call), beforeListen: true }],
  },
  authOptions: { tokenMethod: ['bearer'], superadminCredentials: { identifier: 'admin', password: randomUUID() } },
  dbConnectionOptions: {
    ...{ type: 'postgres', host, username: user, database, poolSize: CONNECTIONS },
    ...{ synchronize: true, logging: false, migrations: [] },
  },
  paymentOptions: { paymentMethodHandlers: [dummyPaymentHandler] },
  logger: new DefaultLogger({ level: LogLevel.Error }),
  customFields: {},
  plugins: [DefaultSearchPlugin.init({})],
};

const app = await bootstrap(config);
await populateInitialData(app, INITIAL);
const importer = app.get(FastImporterService);
await importer.initialize();
const context = await app.get(RequestContextService).create({ apiType: 'admin' });
const { items: taxCategories } = await app.get(TaxCategoryService).findAll(context);
const [taxCategory] = taxCategories;

/** A product with one variant. @returns the id of the variant */
async function add(id: string, description: string, stockOnHand: number): Promise<string> {
  const translation = { languageCode, name: id };
  const productId = await importer.createProduct({
    translations: [{ ...translation, slug: id, description }],
  });
  const variant = await importer.createProductVariant({
    ...{ productId, sku: id, price: 1_000, stockOnHand, trackInventory: GlobalFlag.TRUE },
    ...(taxCategory === undefined ? {} : { taxCategoryId: taxCategory.id }),
    translations: [translation],
  });
  return String(variant);
}

/** Makes the index of one product, and waits for it. */
async function indexFirst(): Promise<void> {
  const jobs = app.get(JobQueueService);
  await jobs.start();
  await app.get(SearchService).reindex(context);
  while ((await pool.query('SELECT FROM search_index_item')).rowCount === 0) await pause(LOOK_EVERY);
  // In an installation, another process would go on and follow each change of a stock.
  await jobs.onModuleDestroy();
}

/** Vendure's own index takes a fifth of a second for each product. */
async function indexOthers(): Promise<void> {
  const { rows } = await pool.query<{ name: string }>(
    `SELECT column_name AS name FROM information_schema.columns WHERE table_name = 'search_index_item'`,
  );
  const OF_EACH: Readonly<Record<string, string>> = {
    productVariantId: 'v.id',
    productId: 'v."productId"',
    productName: 't.name',
    productVariantName: 't.name',
    description: 't.description',
    slug: 't.slug',
    sku: 'v.sku',
  };
  const columns = rows.map(({ name }) => `"${name}"`);
  const values = rows.map(({ name }) => OF_EACH[name] ?? `i."${name}"`);
  await pool.query(`INSERT INTO search_index_item (${columns.join(', ')}) SELECT ${values.join(', ')}
    FROM search_index_item i, product_variant v JOIN product_translation t ON t."baseId" = v."productId"
    WHERE v.id <> i."productVariantId"`);
}

const first = await add('first', '{}', PLENTY);
await indexFirst();
await eachItem(CONNECTIONS, ({ id, json }) => add(id, json, PLENTY));
await indexOthers();
await pool.query('DELETE FROM search_index_item WHERE "productVariantId" = $1', [first]);
await pool.query('VACUUM ANALYZE');
ready(`http://127.0.0.1:${port}`);
