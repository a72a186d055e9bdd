import { stringify } from 'qs';
import { TABLE, World, type Line, type Sample } from '../interface/conventions.table.js';
import { OneUser } from '../interface/one-user.js';
import { faultsBy, orderFaultsBy, referred } from './json-schema.js';
import { newDataDir, RunningService, type Answer, type AskOptions, type Json } from './running-service.js';

/** As long as an id, but no one has it. */
export const UNKNOWN_ID = '0'.repeat(32);

/** Seconds: a year, for the calls of the table move the clock. */
const TOKEN_LIVES = 2_592_000;

/** A kind of credential, or a lack of one. */
export const CREDENTIALS = ['key', 'basic', 'operator', 'auditor', 'wrong', 'none'] as const;
export type CredentialName = (typeof CREDENTIALS)[number];

/** A user with an access token, and a world whose samples are about this user alone. */
export interface TokenUser {
  readonly token: string;
  readonly world: World;
}

/** How a path is written: the interface accepts each of these for most calls (ruling A1). */
export interface Spelling {
  readonly prefix: '' | '/v1' | '/api/v1' | '/api/v3';
  readonly suffix: '' | '.json';
}

/** The path of a route as the table has it. */
function routeOf(method: string, path: string): string {
  const bare = path.replace(/^\/(api\/)?v1(?=\/)/, '').replace(/\{(\w+)\}/g, ':$1');
  return `${method.toUpperCase()} ${bare}`;
}

/** A running service with its OpenAPI document, and two partners whose calls are checked against it. */
export class DocumentedService {
  private constructor(
    readonly service: RunningService,
    readonly world: World,
    readonly document: Json,
    /** By the routes of the table. */
    readonly operations: ReadonlyMap<string, Json>,
    private readonly passwords: Readonly<Record<'acme' | 'rival', string>>,
  ) {}

  static async start(): Promise<DocumentedService> {
    const service = await RunningService.start({
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
    const passwords = { acme: `acme:${await password(acme.id)}`, rival: `rival:${await password(rival.id)}` };
    await service.newDeal('lunch', {
      stock: null,
      tags: ['food'],
      custom_data: { any: ['thing'] },
      locations: [{ address: { latitude: 42.36, longitude: -71.06, locality: 'Boston' }, hours: '9 to 5' }],
    });
    await service.newDeal('supper', { locations: [{ address: { latitude: 42.36, longitude: -71.06 } }] });
    await service.operate('PUT', '/regions/testland', { latitude: 42.36, longitude: -71.06, radius: 20 });
    await service.operate('PUT', '/regions/elsewhere', { name: 'Elsewhere', time_zone: 'America/New_York' });
    await service.look('/deals/supper', acme.key);
    const document: Json = (await service.ask('GET', '/openapi.json')).body;
    const operations = new Map(
      Object.entries<Json>(document.paths as object).flatMap(([path, item]) =>
        Object.entries<Json>(item as object).map(([method, operation]) => [routeOf(method, path), operation]),
      ),
    );
    return new DocumentedService(
      service,
      new World(service, acme, rival, passwords.acme),
      document,
      operations,
      passwords,
    );
  }

  /** A new user of acme with an access token for everything, and a world whose samples are about this user alone. */
  async newTokenUser(): Promise<TokenUser> {
    const user = await this.world.user();
    const body = { expires_in: TOKEN_LIVES, scope: 'all', access: 'read,write' };
    const issued = await this.service.ask('POST', `/users/${user}/access_tokens`, { key: this.world.acme.key, body });
    return { token: issued.body.access_token.id, world: new OneUser(this.world, user) };
  }

  /** The options that send such a credential of acme, whether or not a call is for it. */
  credentialNamed(name: CredentialName): AskOptions {
    const nothing = { key: undefined, basic: undefined, token: undefined };
    switch (name) {
      case 'key':
        return { ...nothing, key: this.world.acme.key };
      case 'basic':
        return { ...nothing, basic: this.passwords.acme };
      case 'operator':
        return { ...nothing, token: this.service.operatorToken };
      case 'auditor':
        return { ...nothing, token: this.service.auditorToken };
      case 'wrong':
        return { ...nothing, key: UNKNOWN_ID, token: UNKNOWN_ID };
      case 'none':
        return nothing;
    }
  }

  credential({ who }: Line, by: 'acme' | 'rival' = 'acme'): AskOptions {
    if (who === 'public') return {};
    if (who === 'partner') return { key: this.world[by].key };
    if (who === 'partner-v3') return { basic: this.passwords[by] };
    return { token: who === 'operator' ? this.service.operatorToken : this.service.auditorToken };
  }

  /** Sends a call of the table. */
  send(
    route: string,
    line: Line,
    { ids = {}, send: body, lines }: Sample,
    options: AskOptions = {},
    query: Readonly<Record<string, string>> = {},
    { prefix, suffix }: Spelling = { prefix: '', suffix: '' },
  ): Promise<Answer> {
    const [method = '', template = ''] = route.split(' ');
    const bare = template.replace(/:(\w+)/g, (_, name: string) =>
      encodeURIComponent((ids[name] ?? UNKNOWN_ID).toWellFormed()),
    );
    const path = `${prefix}${bare}${suffix}`;
    const url = Object.keys(query).length === 0 ? path : `${path}?${stringify(query)}`;
    const headers: Record<string, string> = { ...options.headers };
    if (lines !== undefined) headers['content-type'] ??= 'application/x-ndjson';
    return this.service.ask(method, url, { ...this.credential(line), body: lines ?? body, ...options, headers });
  }

  /** The parameters in a call's query and body, each with its name and schema. */
  parametersOf(route: string): readonly Json[] {
    const operation = this.operations.get(route);
    const inQuery = ((operation?.parameters ?? []) as Json[]).filter((each) => each.in === 'query');
    const schema = operation?.requestBody?.content?.['application/json']?.schema;
    const whole = schema?.$ref === undefined ? schema : referred(schema.$ref as string, this.document);
    const inBody = Object.entries<Json>((whole?.properties ?? {}) as object).map(([name, its]) => ({
      name,
      schema: its,
    }));
    return [...inQuery, ...inBody];
  }

  /** The faults of an answer by the document, which must have its status and its type, and its keys in order (A9). */
  faultsOf(route: string, { status, headers, text, body }: Answer): readonly string[] {
    const { document } = this;
    const described = this.operations.get(route)?.responses[status];
    if (described === undefined) return [`${route}: status ${status} is not in the document`];
    const { content } = described.$ref === undefined ? described : referred(described.$ref as string, document);
    if (content === undefined)
      return text === '' ? [] : [`${route}: ${status} has a body, by the document it has none`];
    const { examples } = content['application/json'] ?? {};
    if (status >= 400 && body?.error_type !== undefined && !(body.error_type in examples))
      return [`${route}: ${status} ${String(body.error_type)} is not told of the call`];
    const type = headers['content-type']?.split(';')[0] ?? 'none';
    const { schema } = content[type] ?? content['*/*'] ?? {};
    if (schema === undefined) return [`${route}: ${status} with the type ${type} is not in the document`];
    if (type !== 'application/json') return [];
    const at = `${route} ${status}`;
    // Operators see a deal's attributes in the order in which they were first given.
    const ordered = route.includes('/operators/deals/') ? [] : orderFaultsBy(schema, body, document, at);
    return [...faultsBy(schema, body, document, at), ...ordered];
  }
}

/** Every line of the conventions table. */
export const LINES = Object.entries(TABLE);
