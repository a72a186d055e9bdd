import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { stringify } from 'qs';
import { AS_OF_FORM } from '../support/answered.js';
import { eventsOf } from '../support/data-folder.js';
import { newDataDir, RunningService, type Answer, type AskOptions, type Json } from '../support/running-service.js';
import { routesOfTheService } from '../support/routes.js';
import { TABLE, World, type Line, type Sample } from './conventions.table.js';

const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
const NOWHERE =
  '{"status":"error","error_type":"find_failed","error_msg":"no such path","detail":"GET /docs shows every call with its path"}';
const OTHER =
  '{"status":"error","error_type":"validation_failed","error_msg":"this Idempotency-Key was used for another request","detail":"the first answer is kept for 24 hours, even a refusal: send a changed request with a new key"}';
const UNKNOWN_ID = '0'.repeat(32);

/** The names of times in answers, and the first number that could be one: milliseconds of 2001. */
const NAME_OF_TIME = /(_at|_date)$|^(now|time|deadline|until)$/;
const FIRST_TIME = 1e12;
/** ISO 8601, or in the interface's own shapes the text for people (ruling B1). */
const TIME_OF_OPERATORS = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{3})?(Z|[+-]\d\d:\d\d)|\w{3} \w{3} [\d :]+ UTC \d{4})$/;

type Row = readonly [route: string, line: Line];
const rows = Object.entries(TABLE);
const ofPartners = rows.filter(([, { who }]) => who === 'partner' || who === 'partner-v3');
const open = rows.filter(([, { who }]) => who === 'public');
const guarded = rows.filter(([, { who }]) => who !== 'public');
const reading = guarded.filter(([, { unread }]) => unread !== true);
const writes = guarded.filter(([route]) => !route.startsWith('GET '));
const lists = guarded.filter(([, { list }]) => list !== undefined);
const reads = reading.filter(([route]) => route.startsWith('GET '));
const owned = ofPartners.filter(([, { common }]) => common !== true);
const operational = rows.filter(([, { who }]) => who === 'operator' || who === 'auditor');

/** The text of an answer, without the times at which it was made. */
const untimed = ({ timed = [] }: Line, { text }: Answer): string =>
  timed.reduce((shown, name) => shown.replace(new RegExp(`"${name}":"[^"]*"`), `"${name}":""`), text);

describe('every route keeps every convention', () => {
  let service: RunningService;
  let world: World;
  let passwords: Readonly<Record<'acme' | 'rival', string>>;
  const requestIds: (string | undefined)[] = [];

  beforeAll(async () => {
    service = await RunningService.start({
      env: {
        GATEWAY_TIMEOUT: '2500',
        TIMERS: 'false',
        ARGON2_MEMORY: '64',
        ARGON2_TIME: '1',
        BACKUP_DIR: newDataDir(),
      },
    });
    const [acme, rival] = [await service.newPartner('acme'), await service.newPartner('rival')];
    const password = async (id: string): Promise<string> =>
      (await service.operate('POST', `/partners/${id}/password`)).password;
    passwords = { acme: `acme:${await password(acme.id)}`, rival: `rival:${await password(rival.id)}` };
    world = new World(service, acme, rival, passwords.acme);
    const locations = [{ address: { latitude: 42.36, longitude: -71.06 } }];
    await service.newDeal('lunch', { stock: null, locations });
    await service.newDeal('supper', { locations });
    await service.operate('PUT', '/regions/testland', { latitude: 42.36, longitude: -71.06, radius: 20 });
    await service.operate('PUT', '/regions/elsewhere', { name: 'Elsewhere', time_zone: 'America/New_York' });
    await service.look('/deals/supper', acme.key);
  });
  afterAll(() => service.discard());
  afterEach(() => {
    expect(service.printed).not.toContain('a call failed');
  });

  const credential = ({ who }: Line, by: 'acme' | 'rival' = 'acme'): AskOptions => {
    if (who === 'public') return {};
    if (who === 'partner') return { key: world[by].key };
    if (who === 'partner-v3') return { basic: passwords[by] };
    return { token: who === 'operator' ? service.operatorToken : service.auditorToken };
  };
  const pathOf = (route: string, ids: Sample['ids'] = {}): string =>
    route
      .slice(route.indexOf(' ') + 1)
      .replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(ids[name] ?? `no ${name} in the table`));
  const send = async (route: string, path: string, options: AskOptions): Promise<Answer> => {
    const answer = await service.ask(route.slice(0, route.indexOf(' ')), path, options);
    requestIds.push(answer.headers['request-id']);
    return answer;
  };
  /** A call of the table, as its line describes. */
  const call = (row: Row, { ids, send: body, lines }: Sample, options: AskOptions = {}): Promise<Answer> => {
    const path = pathOf(row[0], ids);
    if (lines === undefined) return send(row[0], path, { ...credential(row[1]), body, ...options });
    const headers = { 'content-type': 'application/x-ndjson', ...options.headers };
    return send(row[0], `${path}?${stringify(body)}`, { ...credential(row[1]), body: lines, ...options, headers });
  };
  const succeeds = ({ who, refused, created, inLines, inText }: Line, { status, body, text }: Answer): void => {
    if (refused === true) {
      expect([status, body.error_type]).toEqual([422, 'update_failed']);
      return;
    }
    if (inLines === true) {
      expect([status, Object.keys(JSON.parse(text.trimEnd().split('\n').at(-1) ?? ''))]).toEqual([200, ['end']]);
      return;
    }
    if (inText !== undefined) {
      expect([status, text.trimEnd().split('\n').at(-1)]).toEqual([200, expect.stringMatching(inText)]);
      return;
    }
    // In v3 only errors need a status (2.3).
    const success = who === 'public' || (who === 'partner-v3' && body?.status === undefined) ? 'success' : body?.status;
    expect([status, success]).toEqual([created === true ? 201 : 200, 'success']);
  };

  it('the table has one line for each route of the service, and no others', async () => {
    expect(Object.keys(TABLE).sort()).toEqual(await routesOfTheService());
    expect(writes.filter(([, { who }]) => who === 'partner').length).toBeGreaterThan(10);
  });

  it.each(ofPartners)('9.1, 9.2, 9.3, A1, 9: %s answers on its prefixes, with .json and without', async (...row) => {
    const [route, line] = row;
    const own = line.who === 'partner-v3' ? [''] : ['', '/v1', '/api/v1'];
    for (const prefix of own) {
      for (const suffix of ['', '.json']) {
        const { ids, send: body } = await line.sample(world);
        succeeds(line, await send(route, `${prefix}${pathOf(route, ids)}${suffix}`, { ...credential(line), body }));
      }
    }
    if (line.who === 'partner-v3') {
      const { ids, send: body } = await line.sample(world);
      for (const prefix of ['/v1', '/api/v1']) {
        const answer = await send(route, `${prefix}${pathOf(route, ids)}`, { ...credential(line), body });
        expect([answer.status, answer.text]).toEqual([404, NOWHERE]);
      }
    }
  });

  it.each(ofPartners)('G7.1: %s says as of when', async (...row) => {
    const [route, line] = row;
    const { ids, send: body } = await line.sample(world);
    const answer = await send(route, pathOf(route, ids), { ...credential(line), body });
    succeeds(line, answer);
    expect([route, answer.headers['holdfast-as-of']]).toEqual([route, expect.stringMatching(AS_OF_FORM)]);
  });

  it.each(operational)('A1, G1: %s answers only to its role, without prefix or .json', async (...row) => {
    const [route, line] = row;
    const sample = await line.sample(world);
    const path = pathOf(route, sample.ids);
    const body = sample.send;
    for (const options of [{}, { token: 'wrong' }, { key: world.acme.key }, { basic: passwords.acme }]) {
      const answer = await send(route, path, { ...options, body });
      expect([answer.status, answer.body.error_type, answer.headers['www-authenticate']]).toEqual([
        401,
        'auth_failed',
        'Bearer',
      ]);
    }
    if (line.who === 'operator') {
      const answer = await send(route, path, { token: service.auditorToken, body });
      expect([answer.status, answer.body.error_type]).toEqual([403, 'auth_failed']);
    }
    for (const other of [`/v1${path}`, `/api/v1${path}`, `${path}.json`]) {
      const answer = await send(route, other, { ...credential(line), body });
      // If the path ends in an id, the suffix becomes part of it, and nothing has that id.
      if (other.endsWith('.json') && /:\w+$/.test(route)) expect([404, 422]).toContain(answer.status);
      else expect([other, answer.status, answer.text]).toEqual([other, 404, NOWHERE]);
    }
    succeeds(line, await call(row, sample));
    if (line.who === 'auditor') {
      succeeds(line, await call(row, await line.sample(world), { token: service.operatorToken }));
    }
  });

  it.each(reading)('A2: %s names the parameters that it does not use', async (...row) => {
    expect((await call(row, await row[1].sample(world))).headers['holdfast-ignored']).toBeUndefined();
    const sample = await row[1].sample(world);
    const { headers } = await call(row, { ...sample, send: { ...sample.send, zz_unknown: 'secret' } });
    expect(headers['holdfast-ignored']).toBe('zz_unknown');
  });

  it('B1: no schema of operators and auditors has a time as a number', async () => {
    const { paths, components } = (await service.ask('GET', '/openapi.json')).body;
    const looked = new Set<string>();
    const wrong: string[] = [];
    const look = (schema: Json, place: string): void => {
      if (typeof schema !== 'object' || schema === null) return;
      if (typeof schema.$ref === 'string') {
        const name = String(schema.$ref).replace(/.*\//, '');
        if (looked.has(name)) return;
        looked.add(name);
        look(components.schemas[name], name);
        return;
      }
      const isNumber = [schema, ...(schema.anyOf ?? [])].some(({ type }: Json) => /integer|number/.test(type));
      if (isNumber && (NAME_OF_TIME.test(place) || /1970|epoch/i.test(schema.description ?? ''))) wrong.push(place);
      for (const [name, each] of Object.entries(schema)) look(each, name);
    };
    for (const [path, calls] of Object.entries<Json>(paths)) {
      if (!/^\/(operators|auditors)\//.test(path)) continue;
      for (const { responses } of Object.values<Json>(calls))
        for (const answer of Object.values<Json>(responses)) look(answer.content?.['application/json']?.schema, path);
    }
    expect([looked.has('DealSet'), wrong]).toEqual([true, []]);
  });

  it.each(operational)('B1: %s answers times as ISO 8601, which its parameters take', async (...row) => {
    const answer = await call(row, await row[1].sample(world));
    const numbers: unknown[] = [];
    const times: string[] = [];
    const look = (value: unknown, name = ''): void => {
      if (typeof value === 'number' && value > FIRST_TIME) numbers.push([name, value]);
      if (typeof value === 'string' && NAME_OF_TIME.test(name)) times.push(value);
      if (typeof value === 'object' && value !== null)
        for (const [each, inner] of Object.entries(value)) look(inner, each);
    };
    look(answer.body);
    expect(numbers).toEqual([]);
    for (const time of times) expect(time).toMatch(TIME_OF_OPERATORS);
  });

  it.each(open)('%s needs no credential', async (...row) => {
    const sample = await row[1].sample(world);
    for (const options of [{}, { key: 'wrong' }]) expect((await call(row, sample, options)).status).toBe(200);
    const wrong = row[1].knowsOperators === true ? 401 : 200;
    expect((await call(row, sample, { token: 'wrong' })).status).toBe(wrong);
  });

  it.each(open.filter(([route]) => route.startsWith('GET ')))(
    'I14: %s records nothing, as programs open every link',
    async (...row) => {
      const sample = await row[1].sample(world);
      const before = (await eventsOf(service.dataDir)).length;
      for (const method of ['GET', 'HEAD']) {
        const { status, headers } = await send(`${method} `, pathOf(row[0], sample.ids), {});
        expect([status, headers['holdfast-position']]).toEqual([200, undefined]);
      }
      expect(await eventsOf(service.dataDir)).toHaveLength(before);
    },
  );

  it.each(ofPartners)('5.6, A4, 5: %s answers 401 without a credential, and with a wrong one', async (...row) => {
    const [route, line] = row;
    const { ids, send: body } = await line.sample(world);
    const wrong: readonly AskOptions[] = [
      {},
      { key: `${world.acme.key}x` },
      { basic: `${passwords.acme}x` },
      { token: service.operatorToken },
      line.who === 'partner' ? { basic: passwords.acme } : { key: world.acme.key },
    ];
    for (const options of wrong) {
      const answer = await send(route, pathOf(route, ids), { ...options, body });
      expect([answer.status, answer.body.error_type, answer.headers['www-authenticate']]).toEqual([
        401,
        'auth_failed',
        line.who === 'partner-v3' ? 'Basic realm="Holdfast"' : undefined,
      ]);
    }
  });

  it.each(ofPartners)('A2: %s takes its parameters from query, JSON and form, with any method', async (...row) => {
    const [route, line] = row;
    const key = line.who === 'partner' ? { api_key: world.acme.key } : {};
    const auth = line.who === 'partner' ? {} : credential(line);
    const ways: readonly ((parameters: Json) => readonly [string, AskOptions])[] = [
      (parameters) => [`?${stringify(parameters)}`, {}],
      (parameters) => ['', { body: parameters }],
      (parameters) => ['', { body: stringify(parameters), headers: FORM }],
      // The body wins.
      (parameters) => [`?${stringify(mapped(parameters, () => 'none'))}`, { body: parameters }],
    ];
    const shared = await line.sample(world);
    const texts = new Set<string>();
    for (const way of ways) {
      const sample = route.startsWith('GET ') ? shared : await line.sample(world);
      const [query, options] = way({ ...sample.send, ...key });
      const answer = await send(route, `${pathOf(route, sample.ids)}${query}`, { ...auth, ...options });
      succeeds(line, answer);
      texts.add(route.startsWith('GET ') ? untimed(line, answer) : Object.keys(answer.body as object).join());
    }
    expect(texts.size).toBe(1);
  });

  it.each(reading)('A8: %s refuses a malformed body with 400 and another content type with 415', async (...row) => {
    const [, line] = row;
    const sample = await line.sample(world);
    const json = { 'content-type': 'application/json' };
    // A call that takes only lines takes neither.
    const unreadable = sample.lines === undefined ? 400 : 415;
    expect((await call(row, sample, { body: '{', headers: json })).status).toBe(unreadable);
    expect((await call(row, sample, { body: 'a=%', headers: FORM })).status).toBe(unreadable);
    expect((await call(row, sample, { body: '<a/>', headers: { 'content-type': 'text/xml' } })).status).toBe(415);
  });

  it.each(owned)('A5: %s gives the same answer for another partner’s object as for an unknown one', async (...row) => {
    const [, line] = row;
    const theirs = await line.sample(world);
    const own = Object.keys({ ...theirs.ids, ...theirs.send }).filter((name) => isOwn(name));
    expect(own).not.toEqual([]);
    const strange = (parameters: Readonly<Record<string, Json>> = {}): Record<string, Json> =>
      mapped(parameters, (value, name) => (isOwn(name) ? UNKNOWN_ID : value));
    const as = credential(line, 'rival');
    const shown = ({ status, text, headers }: Answer): unknown => [status, text, headers['holdfast-position']];
    const known = await call(row, theirs, as);
    const unknown = await call(row, { ids: strange(theirs.ids), send: strange(theirs.send) }, as);
    expect(unknown.status).toBeGreaterThanOrEqual(400);
    expect(shown(known)).toEqual(shown(unknown));
    succeeds(line, await call(row, theirs));
  });

  it.each(writes)('A11: %s happens once under an Idempotency-Key', async (...row) => {
    const [route, line] = row;
    const sample = await line.sample(world);
    const headers = { 'idempotency-key': world.fresh('key') };
    const first = await call(row, sample, { headers });
    succeeds(line, first);
    const again = await call(row, sample, { headers });
    const kept = line.secrets === undefined ? first.text : without(line.secrets, first);
    expect([again.status, again.text, again.headers['holdfast-position']]).toEqual([
      first.status,
      kept,
      first.headers['holdfast-position'],
    ]);
    const more = { ...sample, send: { ...sample.send, unheard_of: '1' } };
    const other = await call(row, more, { headers });
    expect([route, other.status, other.text]).toEqual([route, 422, OTHER]);
  });

  it.each(writes.filter(([, { noEvent }]) => noEvent !== true))(
    'A11, 4.6: %s returns its position, and its caller sees the change at once',
    async (...row) => {
      const [, line] = row;
      const sample = await line.sample(world);
      if (line.who === 'partner') expect(sample.seen).toBeDefined();
      const answer = await call(row, sample);
      succeeds(line, answer);
      const position = answer.headers['holdfast-position'] ?? '';
      expect(position).toMatch(/^[1-9]\d*$/);
      const [path, text] = sample.seen?.(answer.body) ?? [];
      if (path === undefined || text === undefined) return;
      // Once because of the caller's identity, and once because of the position.
      for (const headers of [undefined, { 'holdfast-position': position }]) {
        expect((await send('GET ', path, { ...credential(line), ...(headers && { headers }) })).text).toMatch(text);
      }
    },
  );

  it('A11, A8: a read that names a position beyond the log is refused at once', async () => {
    const answers = await Promise.all(
      reads.map(async (row): Promise<readonly [string, number, string]> => {
        const sample = await row[1].sample(world);
        const answer = await call(row, sample, { headers: { 'holdfast-position': '9999999999999999' } });
        return [row[0], answer.status, answer.text];
      }),
    );
    expect(answers).toEqual(reads.map(([route]) => [route, 422, expect.stringContaining('Holdfast-Position')]));
  });

  it.each(lists)('4.1.1, 4.1.2, 4.1.3, 8.1, 8.2, A10, 4.1, 8: %s takes count, page and per_page', async (...row) => {
    const [, line] = row;
    const sample = await line.sample(world);
    const headers = service.afterAllWrites;
    const page = (parameters: Json): Promise<Answer> =>
      call(row, { ...sample, send: { ...sample.send, ...parameters } }, { headers });
    const itemsOf = ({ body }: Answer): Json[] =>
      (body[line.list ?? ''] as Json[]).map((item) => (line.named === undefined ? item : item[line.named]));
    const whole = await page({ per_page: 1000 });
    const items = itemsOf(whole);
    expect(items.length).toBeGreaterThanOrEqual(2);
    for (const count of [true, 'true']) {
      const answer = await page({ count, page: 'ignored', per_page: 0 });
      const status = whole.body.status === undefined ? {} : { status: 'success' };
      expect(answer.body).toEqual({ ...status, count: items.length });
    }
    expect(itemsOf(await page({ page: 1, per_page: 1 }))).toEqual(items.slice(0, 1));
    expect(itemsOf(await page({ page: '2', per_page: '1' }))).toEqual(items.slice(1, 2));
    const past = await page({ page: 1_000_000 });
    expect([past.status, itemsOf(past)]).toEqual([200, []]);
    for (const [name, values] of [
      ['page', [0, -1, 1.5, 'x', [1, 2]]],
      ['per_page', [0, 1001, -1, 1.5, 'x']],
      ['count', ['yes']],
    ] as const) {
      for (const value of values) {
        const answer = await page({ [name]: value });
        expect([name, value, answer.status]).toEqual([name, value, line.noPage ?? 422]);
        expect(answer.text).toContain(name);
      }
    }
  });

  it('A8: each path answers 405 with Allow to methods that it lacks, and lists its methods to OPTIONS, without a credential', async () => {
    const methods = new Map<string, Set<string>>();
    for (const route of Object.keys(TABLE)) {
      const [method = '', path = ''] = route.split(' ');
      methods.set(path, (methods.get(path) ?? new Set()).add(method));
    }
    // A path with parameters also has the methods of the paths that fit it, except those with a path of their own.
    const takes = (path: string): readonly string[] => {
      const parts = path.split('/');
      const fits = (other: string): boolean =>
        other.split('/').length === parts.length &&
        other.split('/').every((part, index) => part.startsWith(':') || part === parts[index]);
      const fitting = [...methods].flatMap(([other, each]) => (fits(other) ? [...each] : []));
      const found = new Set(methods.get(path) ?? fitting);
      return [...found, ...(found.has('GET') ? ['HEAD'] : []), 'OPTIONS'].sort();
    };
    for (const path of methods.keys()) {
      const allowed = takes(path.replace(/:\w+/g, 'x'));
      const written = path.replace(/:\w+/g, 'x');
      const isOwn = path === '/' || /^\/(operators|auditors|metrics|health|openapi|docs|api\/v3)/.test(path);
      for (const prefix of isOwn ? [''] : ['', '/v1', '/api/v1']) {
        for (const method of ['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS']) {
          if (method !== 'OPTIONS' && allowed.includes(method)) continue;
          const { status, headers, body } = await send(`${method} `, `${prefix}${written}`, {});
          const refusal = method === 'OPTIONS' ? [204, undefined] : [405, 'method_not_allowed'];
          expect([method, written, status, body?.error_type, headers['allow']]).toEqual([
            method,
            written,
            ...refusal,
            allowed.join(', '),
          ]);
        }
      }
    }
    const head = await send('HEAD ', '/deals', { key: world.acme.key });
    expect([head.status, head.text]).toEqual([200, '']);
    expect((await send('HEAD ', '/deals', {})).status).toBe(401);
  });

  it('A8: every answer so far had a Request-Id of its own', () => {
    expect(requestIds.length).toBeGreaterThan(500);
    expect(requestIds).not.toContain(undefined);
    expect(new Set(requestIds).size).toBe(requestIds.length);
  });
});

/** Whether this name in a path or body is the id of something that one partner owns: deals are common. */
function isOwn(name: string): boolean {
  return /(_ids?|^coupon)$/.test(name) && name !== 'deal_id';
}

function mapped(
  given: Readonly<Record<string, Json>>,
  change: (value: Json, name: string) => Json,
): Record<string, Json> {
  return Object.fromEntries(Object.entries(given).map(([name, value]) => [name, change(value, name)]));
}

/** The text of an answer without these attributes, wherever they stand. */
function without(secrets: readonly string[], { body }: Answer): string {
  return JSON.stringify(body, (name, value: Json) => (secrets.includes(name) ? undefined : (value as unknown)));
}
