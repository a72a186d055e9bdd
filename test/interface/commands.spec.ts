import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { runCommandLine } from '#command-line';
import { argumentsOf, type Call, CALLS, inPath, nameOf, NOUNS, WITHOUT_COMMAND } from '#command-line/calls';
import { DocumentedService } from '../support/documented-service.js';
import { routesOfTheService } from '../support/routes.js';
import type { Json } from '../support/running-service.js';
import { tempFolder } from '../support/temp-folder.js';
import { COMMANDS_PAGE, pageOfCommands } from './commands.page.js';
import { TABLE, type Sample } from './conventions.table.js';

/** What every list with pages takes, and every list in parts. */
const PAGING = ['count', 'page', 'per_page'];
const PARTS = ['limit', 'after', 'format'];

const named = CALLS.map((call): [string, Call] => [nameOf(call), call]);
const isOperational = (route: string): boolean => {
  const line = TABLE[route];
  return line === undefined || line.who === 'operator' || line.who === 'auditor' || line.knowsOperators === true;
};

describe('G8: the command line', () => {
  let documented: DocumentedService;
  const folder = tempFolder();

  beforeAll(async () => {
    documented = await DocumentedService.start();
  });
  afterAll(async () => {
    folder.remove();
    await documented.service.discard();
  });

  interface Ran {
    readonly code: number;
    readonly out: string;
    readonly err: string;
  }

  /** Runs a command as an operator. */
  async function run(args: readonly string[]): Promise<Ran> {
    const { url, operatorToken } = documented.service;
    const ran = { out: '', err: '' };
    const spies = (['out', 'err'] as const).map((name) =>
      jest.spyOn(process[`std${name}`], 'write').mockImplementation((piece) => {
        ran[name] += String(piece);
        return true;
      }),
    );
    const code = await runCommandLine(args, { HOLDFAST_URL: url, OPERATOR_TOKEN: operatorToken });
    for (const spy of spies) spy.mockRestore();
    return { code, ...ran };
  }

  /** The command line that sends what a sample sends, as far as the command takes it. */
  function lineOf(call: Call, { ids = {}, send = {}, lines }: Sample): readonly string[] {
    const file = (text: string): string => {
      const path = join(folder.path, 'sent');
      writeFileSync(path, text);
      return path;
    };
    const command = nameOf(call).split(' ');
    const given = argumentsOf(call).map((name) => ids[name] ?? String(send[name] ?? `no ${name} in the table`));
    if (lines !== undefined) return [...command, '--file', file(lines)];
    if (call.kind === 'one' && call.body !== undefined)
      return [...command, ...given, '--body', file(JSON.stringify(send))];
    const options = Object.entries(send).filter(([name]) => Object.hasOwn(call.options ?? {}, name));
    const words = options.flatMap(([name, value]) => [`--${name.replaceAll('_', '-')}`, String(value)]);
    return [...command, ...given, ...words];
  }

  it('has a command, or a reason to have none, for each call of operators and auditors', async () => {
    const covered = new Set([...CALLS.map(({ route }) => route), ...Object.keys(WITHOUT_COMMAND)]);
    const routes = await routesOfTheService();
    expect(routes.filter(isOperational).filter((route) => !covered.has(route))).toEqual([]);
    expect([...covered].filter((route) => !routes.includes(route))).toEqual([]);
    expect(CALLS.filter(({ route }) => WITHOUT_COMMAND[route] !== undefined)).toEqual([]);
  });

  it('has words for each noun, and one command for each noun and verb', () => {
    expect([...new Set(CALLS.map(({ noun }) => noun))].toSorted()).toEqual(Object.keys(NOUNS).toSorted());
    expect(new Set(named.map(([name]) => name)).size).toBe(CALLS.length);
  });

  it('has its page', () => {
    // After a change of the table, run `npm run commands:page`.
    expect(readFileSync(COMMANDS_PAGE, 'utf8')).toBe(pageOfCommands());
  });

  it('takes each parameter that the calls take, and no others', () => {
    for (const [route, operation] of documented.operations) {
      const calls = CALLS.filter((call) => call.route === route);
      const [first] = calls;
      if (first === undefined || (first.kind === 'one' && first.body !== undefined)) continue;
      const taken = parametersOf(operation);
      const sent = new Map(calls.flatMap(sentBy));
      expect([
        route,
        [...taken.keys()].filter((name) => !sent.has(name) && !(first.kind === 'list' ? PARTS : PAGING).includes(name)),
      ]).toEqual([route, []]);
      if (first.kind === 'own') continue;
      expect([route, [...sent.keys()].filter((name) => !taken.has(name))]).toEqual([route, []]);
      for (const [name, choices] of sent)
        if (choices !== undefined && taken.get(name)?.enum !== undefined)
          expect([route, name, choices]).toEqual([route, name, taken.get(name)?.enum]);
    }
  });

  it.each(named)('%s does what its call does', async (_, call) => {
    const line = TABLE[call.route];
    const sample = (await line?.sample(documented.world)) ?? {};
    const { code, out, err } = await run([...lineOf(call, sample), '--json']);
    const inLines = line?.inLines === true;
    const answer = inLines ? JSON.parse(out.trimEnd().split('\n').at(-1) ?? '') : JSON.parse(out);
    if (line?.refused === true) {
      expect([code, answer]).toEqual([1, { error: expect.stringContaining('The service refused') }]);
      return;
    }
    expect([code, answer.error, inLines ? '' : err]).toEqual([0, undefined, '']);
    if (call.kind !== 'own') expect(answer.status).toBe('success');
  });

  it.each(named)('%s shows people a text, and spreadsheets rows', async (_, call) => {
    const sample = (await TABLE[call.route]?.sample(documented.world)) ?? {};
    if (TABLE[call.route]?.refused === true) return;
    const people = await run(lineOf(call, sample));
    expect([people.code, people.out]).toEqual([0, expect.stringMatching(/^(\S.*\n)+$/)]);
    expect(people.out).not.toMatch(/undefined|\[object|NaN/);
    if (TABLE[call.route]?.who !== 'auditor') return;
    const { code, out } = await run([...lineOf(call, sample), '--csv']);
    const [names = '', ...rows] = out.trimEnd().split('\n');
    expect([code, rows.length > 0]).toEqual([0, true]);
    expect(names).toMatch(/^[a-z0-9_.]+(,[a-z0-9_.]+)*$/);
  });

  it.each([
    ['partners create --name New --slug printed-once', ['api_key', 'password']],
    ['tokens issue --name printed-once --role auditor', ['token']],
  ])('%s prints each secret once', async (line, secrets) => {
    const people = await run(line.split(' '));
    for (const secret of secrets) {
      const found = people.out.match(new RegExp(`^${secret.replace('_', ' ')} +(\\S+)$`, 'm'))?.[1] ?? '';
      expect(found.length).toBeGreaterThan(8);
      expect(people.out.split(found).length).toBe(2);
    }
  });

  it('removes a value by the word none', async () => {
    const { out } = await run(['deals', 'stock', 'supper', '--units', 'none', '--json']);
    expect(JSON.parse(out).stock.stock).toBeNull();
    await run(['deals', 'stock', 'supper', '--units', '50']);
  });

  it('refuses what destroys without its reason, and two forms at once', async () => {
    for (const command of ['coupons cancel 1', 'coupons reissue 1', 'purchases refund 1', 'purchases void 1']) {
      const { code, err } = await run(command.split(' '));
      expect([code, err]).toEqual([2, expect.stringContaining("required option '--reason <reason>' not specified")]);
    }
    const both = await run(['tokens', 'list', '--json', '--csv']);
    expect([both.code, both.err, JSON.parse(both.out)]).toEqual([2, '', { error: expect.stringContaining('--csv') }]);
  });

  it('says how many lines of an import are refused, by its exit code too', async () => {
    const file = join(folder.path, 'refused');
    writeFileSync(file, '{"kind":"partner","slug":"one","name":"One"}\n{"kind":"deal","slug":"two"}\n');
    const { code, out } = await run(['import', 'run', '--file', file]);
    expect([code, out]).toEqual([
      1,
      expect.stringMatching(/^refused count +1\n(.*\n)*LINE +KIND +SLUG +REASON\n2 +deal/m),
    ]);
    const none = await run(['import', 'run', '--file', join(folder.path, 'none')]);
    expect([none.code, none.err]).toEqual([2, expect.stringMatching(/none cannot be read/)]);
  });
});

/** The parameters of an operation besides those in its path, with their schemas. */
function parametersOf(operation: Json): ReadonlyMap<string, Json> {
  const inQuery = (operation.parameters ?? []).filter((each: Json) => each.in === 'query');
  const body = operation.requestBody?.content?.['application/json']?.schema?.properties ?? {};
  return new Map<string, Json>([
    ...inQuery.map(({ name, schema }: Json) => [name, schema]),
    ...Object.entries(body as object),
  ]);
}

/** The names of what a command sends, with the choices that it leaves. */
function sentBy(call: Call): readonly [string, readonly string[] | undefined][] {
  const fixed = call.kind === 'one' ? Object.keys(call.fixed ?? {}) : [];
  const options = Object.entries({ ...call.arguments, ...call.options }).filter(
    ([name]) => !inPath(call.route).includes(name),
  );
  return [
    ...fixed.map((name): [string, undefined] => [name, undefined]),
    ...options.map(([name, value]): [string, readonly string[] | undefined] => [
      name,
      typeof value === 'string' ? undefined : value.choices,
    ]),
  ];
}
