import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { BUILD } from '../support/build.js';
import { DocumentedService, LINES, UNKNOWN_ID } from '../support/documented-service.js';
import { faultsBy, referred } from '../support/json-schema.js';
import { routesOfTheService } from '../support/routes.js';
import type { Answer, Json } from '../support/running-service.js';
import { TABLE, type Sample, type World } from './conventions.table.js';

/** Open schemas: partners' and operators' own data, the data of events, and what has the names of processes and of series. */
const OPEN = new Set(['by_process', 'custom_data', 'data', 'partner_data', 'series']);

type Operation = Json;
const rows = LINES;

/** A document of OpenAPI 3.1 that says what the service does: these tests check every call of the table against it. */
describe('the OpenAPI document', () => {
  let documented: DocumentedService;
  let world: World;
  let document: Json;
  let operations: ReadonlyMap<string, Operation>;

  beforeAll(async () => {
    documented = await DocumentedService.start();
    ({ world, document, operations } = documented);
  });
  afterAll(() => documented.service.discard());
  afterEach(() => {
    expect(documented.service.printed).not.toContain('a call failed');
  });

  const credential: DocumentedService['credential'] = (...given) => documented.credential(...given);
  const send: DocumentedService['send'] = (...given) => documented.send(...given);
  const faultsOf: DocumentedService['faultsOf'] = (...given) => documented.faultsOf(...given);

  it('G11: is valid OpenAPI 3.1 with one call for each route of the service, and no others', async () => {
    expect(document.openapi).toBe('3.1.0');
    expect(document.info).toMatchObject({ title: 'Holdfast', version: BUILD.version, 'x-commit': BUILD.commit });
    expect(document.servers).toEqual([{ url: documented.service.url }]);
    // A route that is missing here has no @Describe.
    expect([...operations.keys()].sort()).toEqual(await routesOfTheService());
  });

  it('shows for each status its own errors, and no others', () => {
    const responses = document.components.responses as Record<string, Json>;
    const seen = new Set<string>();
    for (const [status, response] of Object.entries(responses)) {
      const content = response.content['application/json'];
      const examples = Object.entries(content.examples as Record<string, { value: Json }>);
      expect([status, examples.length]).not.toEqual([status, 0]);
      for (const [type, { value }] of examples) {
        seen.add(type);
        expect([status, value.error_type]).toEqual([status, type]);
        expect(response.description).toContain(`\`${type}\``);
        expect(faultsBy(content.schema, value, document)).toEqual([]);
      }
    }
    expect([...seen].sort()).toEqual(document.components.schemas.Error.properties.error_type.enum.toSorted());
  });

  it('A1: writes each path as the interface does', () => {
    expect(Object.keys(document.paths as object)).toEqual(
      expect.arrayContaining([
        '/v1/deals',
        '/deals/{deal_id}',
        '/deals/locate',
        '/regions/{city}/{state}/deals',
        '/api/v1/regions',
        '/api/v1/regions/{region_id}',
        '/v1/purchases/full',
        '/purchases/{purchase_id}/claim',
        '/api/v1/users/{email}/update_by_email',
        '/api/v3/deals',
      ]),
    );
  });

  it('G11: has a target for every reference, and a reference to every component', () => {
    const references = new Set(within(document).flatMap(({ $ref }) => (typeof $ref === 'string' ? [$ref] : [])));
    expect(references.size).toBeGreaterThan(20);
    for (const reference of references)
      expect([reference, typeof referred(reference, document)]).toEqual([reference, 'object']);
    const kinds = ['schemas', 'parameters', 'headers'].flatMap((kind) =>
      Object.keys(document.components[kind] as object).map((name) => `#/components/${kind}/${name}`),
    );
    expect(kinds.filter((name) => !references.has(name))).toEqual([]);
  });

  it('G11 A4: gives every call an id, a declared tag, a summary, a success, its errors, and its callers', () => {
    const all = [...operations];
    expect(new Set(all.map(([, { operationId }]) => operationId as string)).size).toBe(all.length);
    const tags = (document.tags as Json[]).map(({ name }) => name as string);
    for (const [route, { tags: own, summary, security, responses, parameters }] of all) {
      expect([route, tags]).toEqual([route, expect.arrayContaining(own as string[])]);
      expect(summary).toMatch(/^[A-Z].*\.$/);
      const isPublic = TABLE[route]?.who === 'public';
      const success = TABLE[route]?.created === true ? '201' : '200';
      const usual = [success, '400', '500', '503'];
      const expected = isPublic ? usual : [...usual, '401', '403', '429'];
      expect([route, Object.keys(responses as object)]).toEqual([route, expect.arrayContaining(expected)]);
      expect([route, security.length > 0]).toEqual([route, !isPublic || TABLE[route]?.knowsOperators === true]);
      if (isPublic && security.length > 0) expect(security).toContainEqual({});
      const schemes = (security as object[]).flatMap((each) => Object.keys(each));
      for (const scheme of schemes) expect(document.components.securitySchemes).toHaveProperty(scheme);
      const inPath = (parameters as Json[]).filter((each) => each.in === 'path').map(({ name }) => name as string);
      expect(inPath).toEqual([...route.matchAll(/:(\w+)/g)].map(([, name]) => name));
    }
  });

  it("G11 A2: types every schema; answers are closed except for callers' own data, bodies only where they are strict", () => {
    const open = new Set<string>();
    const strict: string[] = [];
    for (const [route, { requestBody }] of operations) {
      const { schema } = requestBody?.content['application/json'] ?? {};
      if (schema?.additionalProperties === false) strict.push(route);
    }
    // The call for operators' deals refuses unknown attributes (ruling G4), and that for keys (ruling I8); others ignore them.
    expect(strict).toEqual(['PUT /operators/deals/:slug', 'POST /operators/partners/:id/keys']);
    const look = (schema: Json, name: string): void => {
      const { type, $ref, anyOf } = schema;
      expect([name, type ?? $ref ?? anyOf ?? 'nothing']).not.toEqual([name, 'nothing']);
      if (type === 'object' && schema.additionalProperties !== false) open.add(name);
      for (const [key, each] of Object.entries((schema.properties ?? {}) as object)) look(each, key);
      for (const each of (anyOf ?? []) as Json[]) look(each, name);
      if (schema.items !== undefined) look(schema.items, name);
    };
    for (const [name, schema] of Object.entries(document.components.schemas as object)) look(schema, name);
    for (const [route, operation] of operations) {
      if (route === 'GET /openapi.json') continue;
      for (const part of within([operation.parameters, operation.responses]))
        if (part['schema'] !== undefined) look(part['schema'], route);
    }
    expect([...open].sort()).toEqual([...OPEN].sort());
  });

  it("4.10 4.6.1 D2: has the interface's integers, texts and limits", () => {
    const bodyOf = (route: string): Json =>
      operations.get(route).requestBody.content['application/json'].schema.properties;
    const card = bodyOf('POST /credit_cards');
    expect([card.month.type, card.year.type, card.number.type]).toEqual(['integer', 'integer', 'string']);
    const full = bodyOf('POST /purchases/full');
    expect([full.credit_card.properties.month.type, full.quantity.minimum]).toEqual(['string', 1]);
    expect(bodyOf('POST /purchases/reserve').num_bought).toMatchObject({ type: 'integer', minimum: 1, maximum: 1_000 });
  });

  it('A10 B8: has one shape per list, counted or not; next_page only where the list has one', () => {
    const lists = rows.filter(([, { list }]) => list !== undefined);
    for (const [route, { list = '' }] of lists) {
      const { properties } = operations.get(route).responses['200'].content['application/json'].schema;
      // Interface 2.3 and ruling B8 give it to deals; 4.6 to 4.10 define the shape of the others.
      expect([route, 'next_page' in properties]).toEqual([route, list === 'deals']);
      const { schema } = operations.get(route).responses['200'].content['application/json'];
      expect([route, schema.type, Object.keys(schema.properties as object)]).toEqual([
        route,
        'object',
        expect.arrayContaining([list, 'count']),
      ]);
    }
    expect(lists.length).toBeGreaterThan(10);
  });

  it('A8: lists every error type with its statuses', () => {
    const types: string[] = document.components.schemas.Error.properties.error_type.enum;
    expect(types).toEqual(expect.arrayContaining(['find_failed', 'validation_failed', 'cannot_fufill', 'declined']));
    for (const type of types) {
      const [, statuses = ''] =
        new RegExp(`\\| \`${type}\` \\| ([\\d, ]+) \\|`).exec(document.info.description as string) ?? [];
      expect([type, statuses]).not.toEqual([type, '']);
      for (const status of statuses.split(', ')) {
        expect(document.components.responses[status].description).toContain(`\`${type}\``);
      }
    }
  });

  it('G11: has only examples that their schemas accept', () => {
    const examples = within(document).filter((part) => 'example' in part);
    expect(examples.length).toBeGreaterThan(8);
    for (const { schema, example } of examples) expect(faultsBy(schema, example, document)).toEqual([]);
  });

  it.each(rows)('G11 A9: describes request and answer of %s', async (route, line) => {
    const sample = await line.sample(world);
    const operation = operations.get(route);
    const body = operation.requestBody?.content['application/json'];
    if (route.startsWith('GET ')) {
      const names = (operation.parameters as Json[]).map(({ name }) => name as string);
      expect(names).toEqual(expect.arrayContaining(Object.keys(sample.send ?? {})));
    } else if (body !== undefined) {
      expect(faultsBy(body.schema, sample.send ?? {}, document)).toEqual([]);
    }
    const answer = await send(route, line, sample);
    const status = line.refused === true ? 422 : line.created === true ? 201 : 200;
    expect([route, answer.status, faultsOf(route, answer)]).toEqual([route, status, []]);
    if (line.list === undefined) return;
    for (const paging of [{ count: true }, { per_page: 1 }, { page: 0 }]) {
      const page = await send(route, line, { ...sample, send: { ...sample.send, ...paging } });
      expect([paging, faultsOf(route, page)]).toEqual([paging, []]);
    }
  });

  it.each(rows)('A8: describes the failures of %s', async (route, line) => {
    const sample = await line.sample(world);
    const refused: Answer[] = [
      await send(route, line, sample, { key: 'wrong', token: 'wrong', basic: 'a:b' }),
      await send(route, line, sample, { body: '{', headers: { 'content-type': 'application/json' } }),
      await send(route, line, sample, { body: '<a/>', headers: { 'content-type': 'text/xml' } }),
      await send(route, line, sample, credential(line, 'rival')),
      await send(route, line, {}),
      await send(route, line, { send: mapped(sample.send, () => ({ strange: [] })) }),
      await send(route, line, { ids: sample.ids ?? {}, send: mapped(sample.send, () => UNKNOWN_ID) }),
      await send(route, line, sample, { headers: { 'idempotency-key': 'k'.repeat(256) } }),
    ];
    expect(refused.flatMap((answer) => faultsOf(route, answer))).toEqual([]);
    const most = line.who === 'public' ? 0 : line.unread === true ? 1 : 3;
    expect(refused.filter(({ status }) => status >= 400).length).toBeGreaterThanOrEqual(most);
  });

  it.each(rows.filter(([, { who }]) => who !== 'public'))(
    'A8: has the real errors of %s as examples: for unknown ids, and for a missing parameter',
    async (route, line) => {
      const sample = await line.sample(world);
      const exampleOf = ({ status, body }: Answer): Json =>
        operations.get(route).responses[status].content?.['application/json'].examples[body.error_type ?? 'own']?.value;
      const unknown = await send(route, line, { ...sample, ids: {} });
      if (route.includes(':') && unknown.status === 404) expect(unknown.body).toEqual(exampleOf(unknown));
      const wrong = await send(route, line, { ids: sample.ids ?? {}, send: {} });
      const { errors = [] } = wrong.status === 422 ? exampleOf(wrong) : {};
      for (const entry of errors as Json[])
        expect([wrong.status, wrong.body.errors]).toEqual([422, expect.arrayContaining([entry])]);
    },
  );

  it('G4: describes an import that answers in lines, too', async () => {
    const route = 'POST /operators/import';
    const line = TABLE[route];
    if (line === undefined) throw new Error('no line');
    const headers = { accept: 'application/x-ndjson' };
    const answer = await send(route, line, await line.sample(world), { headers });
    expect([answer.status, faultsOf(route, answer)]).toEqual([200, []]);
  });

  it('A8: describes the refusal of a read with a position beyond the log', async () => {
    const headers = { 'holdfast-position': '9999999999999999' };
    const reads = rows.filter(([route, { who }]) => route.startsWith('GET ') && who !== 'public');
    const answers = await Promise.all(
      reads.map(async ([route, line]) => ({
        route,
        answer: await send(route, line, await line.sample(world), { headers }),
      })),
    );
    expect(answers.flatMap(({ route, answer }) => faultsOf(route, answer))).toEqual([]);
    expect(answers.filter(({ answer }) => answer.status === 422).length).toBeGreaterThan(10);
  });
});

/** A value and every object in it. */
function within(value: Json): Readonly<Record<string, Json>>[] {
  if (typeof value !== 'object' || value === null) return [];
  return [value, ...Object.values(value as object).flatMap(within)];
}

function mapped(parameters: Sample['send'] = {}, change: () => Json): Record<string, Json> {
  return Object.fromEntries(Object.keys(parameters).map((name) => [name, change()]));
}
