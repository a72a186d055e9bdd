import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { at, timeOf } from '../support/buying.js';
import { eventsOf } from '../support/data-folder.js';
import { RunningService, type Answer, type AskOptions, type Json } from '../support/running-service.js';

const NDJSON = { 'content-type': 'application/x-ndjson' };
const DAY = 86_400_000;

describe('G4: an import', () => {
  let service: RunningService;
  let now: number;

  beforeAll(async () => {
    service = await RunningService.start();
    now = await timeOf(service);
  });
  afterAll(() => service.discard());

  const send = (
    lines: readonly unknown[],
    { path = '', ...more }: AskOptions & { readonly path?: string } = {},
  ): Promise<Answer> =>
    service.ask('POST', `/operators/import${path}`, {
      token: service.operatorToken,
      body: lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n'),
      headers: { ...NDJSON, ...more.headers },
      ...(more.token === undefined ? {} : { token: more.token }),
    });
  const region = (slug: string): Json => ({ kind: 'region', slug, name: slug, time_zone: 'America/New_York' });
  const deal = (slug: string, more: Json = {}): Json => ({
    kind: 'deal',
    slug,
    title: `Deal ${slug}`,
    region_id: 'north',
    start_at: at(now - DAY),
    end_at: at(now + 9 * DAY),
    current_price: 1000,
    value: 2000,
    stock: 7,
    ...more,
  });
  const file = (): Json[] => [
    region('north'),
    ...Array.from({ length: 40 }, (_, index) => deal(`deal-${index}`, { state: 'approved' })),
    deal('paused', { state: 'paused', redemption_code_pool: ['A', 'B'] }),
    { kind: 'partner', slug: 'acme', name: 'Acme' },
    { kind: 'user', partner: 'acme', email: 'Ann@example.org', first_name: 'Ann' },
    deal('plain'),
  ];

  it('creates what its lines describe, in the given states, ready for sale', async () => {
    const answer = await send(file());
    expect([answer.status, answer.text]).toEqual([
      200,
      '{"status":"success","lines":45,"changed":45,"unchanged":0,"refused_count":0,"refused":[]}',
    ]);
    const partners = (await service.operate('GET', '/partners')).partners as Json[];
    // Nobody would have seen its keys: it has none until an operator issues one.
    expect(partners).toEqual([expect.objectContaining({ slug: 'acme', keys: [] })]);
    const { api_key: key } = await service.operate('POST', `/partners/${partners[0].id}/keys`);
    expect((await service.look('/deals?count=true', key)).body.count).toBe(40);
    const shown = async (slug: string): Promise<Json> => (await service.look(`/deals/${slug}`, key)).body.deal;
    expect(await shown('deal-39')).toMatchObject({ state: 'in-flight', num_left: 7, region_name: 'north' });
    expect(await shown('paused')).toMatchObject({ state: 'paused', num_left: 2 });
    expect(await shown('plain')).toMatchObject({ state: 'submitted' });
    const held = await service.ask('POST', '/purchases/reserve', { key, body: { deal_id: 'deal-3', num_bought: 7 } });
    expect(held.status).toBe(200);
    const again = await service.ask('POST', '/users', { key, body: { email: 'ann@EXAMPLE.org' } });
    expect(again.body.errors[0].message).toBe('has already been taken');
  });

  it('names all faults of a line at once: what is wrong and what a new thing lacks', async () => {
    await send([region('north'), deal('known')]);
    const { body } = await send([
      { kind: 'region', slug: 'new', latitude: 'x' },
      { kind: 'region', slug: 'north', latitude: 'x' },
      { kind: 'deal', slug: 'new' },
      { kind: 'deal', slug: 'New', title: 1.5, colour: 'red', state: 'gone' },
      { kind: 'deal', slug: 'known', title: 1.5, end_at: 'x' },
      { kind: 'deal', slug: 'offer', type: 'card-linked', region_id: 'nowhere' },
      { kind: 'user', email: 'x' },
    ]);
    const degrees = 'latitude must be a number from -90 to 90';
    const slug = 'slug must be a slug: a-z, 0-9 and - inside, at most 200 characters';
    const end = 'end_at must be a time such as 2027-01-31T12:00:00Z';
    const states = expect.stringContaining('state must be one of submitted');
    expect((body.refused as Json[]).map(({ reason }) => reason.split('; '))).toEqual([
      [degrees, 'name is missing', 'time_zone is missing'],
      [degrees],
      ['title', 'region_id', 'start_at', 'end_at', 'current_price', 'value'].map((name) => `${name} is missing`),
      [
        slug,
        'title must be sent as a String',
        ...['region_id', 'start_at', 'end_at', 'current_price', 'value'].map((name) => `${name} is missing`),
        states,
        'colour is not an attribute',
      ],
      ['title must be sent as a String', end],
      ['title is missing', 'start_at is missing', 'end_at is missing', 'region_id not found'],
      ['partner is missing', 'email must be an e-mail address: it has no @'],
    ]);
  });

  it('may be tried: a dry run says what each line would do, and writes nothing', async () => {
    const lines = [
      { ...region('tried'), name: 'Tried' },
      deal('tried-1', { region_id: 'tried', redemption_code_pool: ['A', 'B'] }),
      deal('tried-2', { region_id: 'nowhere' }),
      deal('tried-3', { region_id: 'tried', end_at: at(now - 9 * DAY) }),
      { kind: 'deal', slug: 'tried-4' },
      '{"kind":',
      { kind: 'partner', slug: 'tried', name: 'Tried' },
      { kind: 'user', partner: 'tried', email: 'ines@example.org' },
      { kind: 'user', partner: 'unknown', email: 'ines@example.org' },
    ];
    const head = async (): Promise<Json> => (await service.operate('GET', '/../health/ready')).log.head;
    const before = await head();
    const tried = await send(lines, { path: '?dry_run=true' });
    expect(tried.body).toMatchObject({ dry_run: true, lines: 9, changed: 4, unchanged: 0, refused_count: 5 });
    expect(await head()).toBe(before);
    const done = await send(lines);
    const { dry_run: _, ...would } = tried.body;
    expect(done.body).toEqual(would);
    expect((await send(lines, { path: '?dry_run=true' })).body).toMatchObject({ changed: 0, unchanged: 4 });
    expect((await send(lines, { path: '?dry_run=perhaps' })).body).toMatchObject({
      error_type: 'validation_failed',
    });
  });

  it('refuses a compressed body, a body without a line and each line that is not UTF-8, and accepts the lines around it', async () => {
    const sendBytes = async (bytes: Buffer | ReadableStream, headers: Record<string, string> = {}): Promise<Json> => {
      const response = await fetch(`${service.url}/operators/import`, {
        method: 'POST',
        headers: { ...NDJSON, authorization: `Bearer ${service.operatorToken}`, ...headers },
        body: bytes,
        ...(bytes instanceof ReadableStream && { duplex: 'half' }),
      });
      return [response.status, await response.json()];
    };
    const refusal = (status: number, error_msg: string): unknown => [
      status,
      { status: 'error', error_type: 'validation_failed', error_msg },
    ];
    const nothing = refusal(400, 'the body has no lines: send one JSON object per line');
    for (const bytes of ['', '\n', ' \r\n\n\t'].map((each) => Buffer.from(each))) {
      for (const accept of ['application/json', 'application/x-ndjson']) {
        expect(await sendBytes(bytes, { accept })).toEqual(nothing);
        // In chunks, without a length.
        const pieces = new ReadableStream({
          start(controller) {
            if (bytes.length > 0) controller.enqueue(bytes);
            controller.close();
          },
        });
        expect(await sendBytes(pieces, { accept })).toEqual(nothing);
      }
    }
    expect(await sendBytes(gzipSync('{}'), { 'content-encoding': 'gzip' })).toEqual(
      refusal(415, 'send the body without a Content-Encoding'),
    );
    const lines = Buffer.concat([
      Buffer.from(`${JSON.stringify(region('utf-8'))}\n`),
      Buffer.from('{"kind":"partner","slug":"jose","name":"Jos\xe9"}\n', 'latin1'),
      Buffer.from('{"kind":"region",\n{"kind":region}\n'),
    ]);
    const [status, body] = await sendBytes(lines);
    expect([status, body.changed, body.refused]).toEqual([
      200,
      1,
      [
        { line: 2, reason: 'is not UTF-8' },
        { line: 3, reason: expect.stringMatching(/^malformed JSON/) },
        { line: 4, reason: 'malformed JSON at column 9' },
      ],
    ]);
  });

  it('succeeds with the sample of docs/import.md, which changes nothing of the demo', async () => {
    const [, sample = ''] = /```ndjson\n([^`]*)```/.exec(readFileSync('docs/import.md', 'utf8')) ?? [];
    const [, promised = ''] = /```json\n([^`]*)```/.exec(readFileSync('docs/import.md', 'utf8')) ?? [];
    const documented = await RunningService.start({ env: { DEMO: 'true' } });
    /** What the demo is: its deals, regions and partners, with their states and keys. */
    const shownOfDemo = async (): Promise<Json> => {
      const { key } = await documented.newPartner(`looker-${(looks += 1)}`);
      const deals = (await documented.look('/v1/deals?show_all=true', key)).body.deals as Json[];
      const regions = (await documented.look('/v1/regions', key)).body.regions as Json[];
      const partners = (await documented.operate('GET', '/partners')).partners as Json[];
      return { deals, regions, partners };
    };
    let looks = 0;
    const demo = await shownOfDemo();
    expect([demo.deals.length, demo.regions.length, demo.partners.length]).toEqual([4, 2, 2]);
    const importing = (): Promise<Answer> =>
      documented.ask('POST', '/operators/import', { token: documented.operatorToken, body: sample, headers: NDJSON });
    expect((await importing()).body).toEqual(JSON.parse(promised));
    expect((await importing()).body).toMatchObject({ changed: 0, unchanged: 5 });
    const after = await shownOfDemo();
    for (const name of ['deals', 'regions', 'partners'])
      expect(after[name]).toEqual(expect.arrayContaining(demo[name]));
    const added = (after.deals as Json[]).filter(({ id }) => !demo.deals.some((deal: Json) => deal.id === id));
    expect(added.map(({ id, state }) => [id, state]).sort()).toEqual([
      ['rowing-on-the-douro', 'in-flight'],
      ['tea-in-porto', 'submitted'],
    ]);
    await documented.discard();
  });

  it('of the same file changes nothing: it writes no event, and later changes stay', async () => {
    await service.operate('POST', '/deals/deal-5/transitions', { to: 'paused' });
    const before = (await eventsOf(service.dataDir)).length;
    const answer = await send(file());
    expect(answer.body).toEqual({
      status: 'success',
      lines: 45,
      changed: 0,
      unchanged: 45,
      refused_count: 0,
      refused: [],
    });
    expect((await eventsOf(service.dataDir)).length).toBe(before);
  });

  it('names each refused line with the reason, and accepts the others', async () => {
    const answer = await send([
      '{"kind":"region"',
      '[]',
      { kind: 'mail' },
      {},
      region('south'),
      '',
      { ...region('west'), time_zone: 'Mars/Olympus' },
      deal('Not A Slug'),
      deal('locate'),
      deal('lost', { region_id: 'nowhere' }),
      deal('bad', { current_price: 'much', title: 7, colour: 'red' }),
      deal('early', { start_at: at(now + DAY), state: 'in-flight' }),
      deal('strange', { state: 'flying' }),
      { kind: 'user', partner: 'nobody', email: 'x@example.org' },
      { kind: 'user', partner: 'acme', email: 'x' },
      { kind: 'partner', slug: 'acme' },
      deal('good', { region_id: 'south' }),
      'x'.repeat(1024 * 1024 + 1),
      deal('better', { region_id: 'south', state: 'cancelled' }),
    ]);
    expect(answer.status).toBe(200);
    const { refused, ...counts } = answer.body;
    expect(counts).toEqual({ status: 'success', lines: 18, changed: 3, unchanged: 0, refused_count: 15 });
    expect(refused.map(({ line, reason }: Json) => `${line}: ${reason}`)).toEqual([
      '1: malformed JSON at column 17',
      '2: must be an object',
      '3: kind must be one of region, deal, partner, user',
      '4: kind is missing',
      '7: time_zone must be an IANA time zone such as America/New_York, or UTC',
      '8: slug must be a slug: a-z, 0-9 and - inside, at most 200 characters',
      '9: slug is reserved',
      '10: region_id not found',
      '11: current_price must be an integer in cents, such as 2500; colour is not an attribute',
      '12: state cannot be in-flight before start_at: an approved deal becomes in-flight at start_at',
      '13: state must be one of submitted, in-review, rejected, approved, in-flight, paused, cancelled, landed, deleted',
      '14: partner nobody is not known',
      '15: email must be an e-mail address: it has no @',
      '16: name is missing',
      '18: is longer than 1 MiB',
    ]);
    // The kind and slug of each, where the line has them; nothing personal.
    const about = (line: number): Json => refused.find((each: Json) => each.line === line);
    expect(about(9)).toMatchObject({ line: 9, kind: 'deal', slug: 'locate' });
    expect(about(10)).toEqual({ line: 10, kind: 'deal', slug: 'lost', reason: 'region_id not found' });
    expect([Object.keys(about(1)), Object.keys(about(15))]).toEqual([
      ['line', 'reason'],
      ['line', 'kind', 'reason'],
    ]);
  });

  it('keeps the order of lines about the same thing', async () => {
    const titles = Array.from({ length: 30 }, (_, index) => deal('often', { title: `Title ${index}` }));
    expect((await send(titles)).body).toMatchObject({ changed: 30 });
    const { partners } = await service.operate('GET', '/partners');
    const { api_key: key } = await service.operate('POST', `/partners/${partners[0].id}/keys`);
    expect((await service.look('/deals/often', key)).body.deal.title).toBe('Title 29');
  });

  it('reports its progress to callers that accept lines, with the result last', async () => {
    const answer = await send([region('north')], { headers: { accept: 'application/x-ndjson' } });
    expect(answer.headers['content-type']).toMatch(/^application\/x-ndjson/);
    const lines = answer.text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines.at(-1)).toEqual({
      status: 'success',
      lines: 1,
      changed: 0,
      unchanged: 1,
      refused_count: 0,
      refused: [],
    });
  });

  it('A11: with an Idempotency-Key is the same request only with the same file, with progress lines too', async () => {
    for (const [key, accept] of [
      ['k-json', 'application/json'],
      ['k-lines', 'application/x-ndjson'],
    ] as const) {
      const headers = { 'idempotency-key': key, accept };
      const first = await send([region(`once-${key}`)], { headers });
      expect([first.status, first.text]).toEqual([200, expect.stringContaining('"lines":1,"changed":1')]);
      const other = await send([region(`twice-${key}`)], { headers });
      expect([other.status, other.body.error_msg]).toEqual([422, 'this Idempotency-Key was used for another request']);
      const again = await send([region(`once-${key}`)], { headers });
      expect([again.status, again.text]).toEqual([200, first.text]);
      expect(again.headers['content-type']).toBe(first.headers['content-type']);
      const { regions } = (await service.look('/regions', (await service.newPartner(`with-${key}`)).key)).body;
      expect((regions as Json[]).map(({ id }) => id as string)).not.toContain(`twice-${key}`);
    }
  });

  it('of refused lines alone does not block others, lists the first thousand, and counts the rest', async () => {
    const lines = send(Array<string>(50_000).fill('{"kind":"region"}'));
    const ended = lines.then(() => true);
    let served = 0;
    const servesAnother = async (): Promise<boolean> => {
      expect((await service.ask('GET', '/health/live')).status).toBe(200);
      served += 1;
      return !(await Promise.race([ended, Promise.resolve(false)]));
    };
    while (await servesAnother());
    const { refused, ...counts } = (await lines).body;
    expect(counts).toEqual({
      status: 'success',
      lines: 50_000,
      changed: 0,
      unchanged: 0,
      refused_count: 50_000,
      more_refused: 49_000,
    });
    expect(refused).toHaveLength(1_000);
    expect(refused[999]).toEqual({
      line: 1_000,
      kind: 'region',
      reason: 'slug is missing; name is missing; time_zone is missing',
    });
    expect(served).toBeGreaterThan(10);
  });

  it('G1: is for operators, and needs lines', async () => {
    expect((await send([], { token: service.auditorToken })).status).toBe(403);
    // As JSON, as a form (curl's -d), as text, and without a body; short or long.
    for (const type of ['application/json', 'application/x-www-form-urlencoded', 'text/plain', undefined]) {
      for (const body of [JSON.stringify(region('north')), `${JSON.stringify(region('north'))}\n`.repeat(2_000)]) {
        const answer = await service.ask('POST', '/operators/import', {
          token: service.operatorToken,
          ...(type !== undefined && { body, headers: { 'content-type': type } }),
        });
        expect([answer.status, answer.body.error_msg]).toEqual([
          415,
          'send lines of JSON with Content-Type: application/x-ndjson (curl: --data-binary @<file>, which keeps the lines apart)',
        ]);
      }
    }
    expect((await send([])).status).toBe(400);
    expect((await send(['', ' ', ''])).status).toBe(400);
  });
});
