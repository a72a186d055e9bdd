import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { TEXTS } from '#kernel/bounds';
import { DocumentedService, LINES } from '../support/documented-service.js';
import { referred } from '../support/json-schema.js';
import type { Json } from '../support/running-service.js';

/** Names of fields that have a URL, in our calls or in those of others who do the same work. An id of such a thing is none. */
const NAMED =
  /(^|_)(url|urls|uri|href|link|links|image|images|picture|pictures|photo|logo|icon|avatar|website|site|homepage|webpage|storefront|facebook|twitter|instagram|callback|webhook|endpoint|redirect)$/;

const HOSTILE = [
  'javascript:alert(1)',
  'data:text/html,<script>alert(1)</script>',
  '//other.example/page',
  'https://user:secret@shop.example/{deal_id}',
  'https://shop.example\\@other.example/{deal_id}',
  'https://shop.example/{deal_id}\u0007',
  `https://shop.example/{deal_id}${'x'.repeat(TEXTS.link.most)}`,
];

/** Every URL that goes out to others is http or https, whoever sets it (ruling G4). */
describe('G4: a URL that a call takes', () => {
  let documented: DocumentedService;
  /** The fields of all calls that take text: the route, the name, and the format that the document gives it. */
  let fields: readonly { readonly route: string; readonly name: string; readonly format: string | undefined }[];

  beforeAll(async () => {
    documented = await DocumentedService.start();
    fields = [...documented.operations.keys()].flatMap((route) =>
      documented.parametersOf(route).flatMap(({ name, schema }) => textsOf(name as string, schema, route)),
    );
  });
  afterAll(() => documented.service.discard());

  /** The texts in a parameter, also inside objects and lists. */
  function textsOf(name: string, given: Json, route: string): (typeof fields)[number][] {
    const schema = given.$ref === undefined ? given : referred(given.$ref as string, documented.document);
    const inside = [
      ...((schema.anyOf ?? []) as Json[]).flatMap((each) => textsOf(name, each, route)),
      ...(schema.items === undefined ? [] : textsOf(name, schema.items, route)),
      ...Object.entries<Json>((schema.properties ?? {}) as object).flatMap(([own, each]) => textsOf(own, each, route)),
    ];
    const isText = [schema.type ?? []].flat().includes('string');
    return isText ? [{ route, name, format: schema.format ?? given.format }, ...inside] : inside;
  }

  it('has the type of a link or of a picture, as its name says', () => {
    expect(fields.length).toBeGreaterThan(200);
    const links = fields.filter(({ format }) => format === 'uri' || format === 'uri-reference');
    expect([...new Set(links.map(({ name }) => name))].sort()).toEqual(['image', 'redemption_url', 'storefront_url']);
    expect(fields.filter(({ name }) => NAMED.test(name)).filter((field) => !links.includes(field))).toEqual([]);
  });

  it('is http or https, without a credential and without what people cannot see', async () => {
    const lines = new Map(LINES);
    const answers = fields
      .filter(({ format }) => format !== undefined && format.startsWith('uri'))
      .flatMap(({ route, name }) => HOSTILE.map((url) => ({ route, name, url })));
    expect(answers.length).toBeGreaterThanOrEqual(4 * HOSTILE.length);
    for (const { route, name, url } of answers) {
      const line = lines.get(route);
      if (line === undefined) throw new Error(`${route} is not in the table`);
      const { status, body } = await documented.send(route, line, { ids: { slug: 'lunch' }, send: { [name]: url } });
      const faults = ((body.errors ?? []) as Json[]).filter(({ field }) => field === name);
      expect([route, name, url, status, faults.length]).toEqual([route, name, url, 422, 1]);
    }
  });

  it('is refused in an import with the same message', async () => {
    const line = { kind: 'deal', slug: 'imported', redemption_url: 'javascript:alert(1)', image: 'data:,' };
    const { body } = await documented.service.ask('POST', '/operators/import', {
      token: documented.service.operatorToken,
      headers: { 'content-type': 'application/x-ndjson' },
      body: `${JSON.stringify(line)}\n`,
    });
    expect(JSON.stringify(body)).toMatch(/redemption_url must be an http or https URL/);
    expect(JSON.stringify(body)).toMatch(/image must be a path, or an http or https URL/);
  });
});
