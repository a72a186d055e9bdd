import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import ts from 'typescript';
import type { Recorded } from '#kernel';
import { codec } from '#platform/model';
import { Codec } from '#eventsourcing';
import { BELL_SAMPLES, bellEvents } from '../golden/invented.events.js';

const GOLDEN = 'test/golden';
const samples = readdirSync(GOLDEN)
  .filter((file) => file.endsWith('.json'))
  .map((file) => JSON.parse(readFileSync(join(GOLDEN, file), 'utf8')) as Recorded);

/** A file that exists in the compiler alone. */
const VIRTUAL = resolve('test/architecture/samples-as-declared.ts');
const DEFINES = /defineEventTypes<(\w+)>\(/;

/** The unions of events with the files that declare them: every call of `defineEventTypes` names one. */
function unions(): readonly (readonly [union: string, file: string])[] {
  const sources = readdirSync('libs', { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.startsWith('kernel'))
    .map((file) => join('libs', file));
  return [...sources, 'test/golden/invented.events.ts'].flatMap((file) => {
    const union = DEFINES.exec(readFileSync(file, 'utf8'))?.[1];
    return union === undefined ? [] : [[union, file] as const];
  });
}

/** One constant for each event, on its own line, after one line of imports. */
function source(events: readonly Pick<Recorded, 'type' | 'data'>[]): string {
  const imports = unions().map(
    ([union, file]) => `import type { ${union} } from '../../${file.replace(/ts$/, 'js')}';`,
  );
  const all = unions()
    .map(([union]) => union)
    .join(' | ');
  const lines = events.map(({ type, data }, at) => `export const e${at}: ${all} = ${JSON.stringify({ type, data })};`);
  return [imports.join(' '), ...lines].join('\n');
}

const CURE = 'an event on disk never changes: declare the next version and an upcaster from this one';

/** What the compiler says of each event, and the cure; undefined if its data has the declared fields and no other. */
function complaintsAbout(events: readonly Pick<Recorded, 'type' | 'data'>[]): readonly (string | undefined)[] {
  const text = source(events);
  const { config } = ts.readConfigFile('tsconfig.json', (file) => ts.sys.readFile(file)) as { config: object };
  const { options } = ts.parseJsonConfigFileContent({ ...config, include: [] }, ts.sys, resolve('.'));
  const host = ts.createCompilerHost(options);
  const read = host.getSourceFile.bind(host);
  host.getSourceFile = (file, target) =>
    resolve(file) === VIRTUAL ? ts.createSourceFile(file, text, target) : read(file, target);
  const program = ts.createProgram([VIRTUAL], { ...options, noEmit: true, incremental: false }, host);
  const file = program.getSourceFile(VIRTUAL);
  if (file === undefined) throw new Error('the compiler did not read the samples');
  const complaints = new Map(
    program
      .getSemanticDiagnostics(file)
      .map(({ start = 0, messageText }) => [
        file.getLineAndCharacterOfPosition(start).line - 1,
        `${ts.flattenDiagnosticMessageText(messageText, ' ')}; ${CURE}`,
      ]),
  );
  if (complaints.has(-1)) throw new Error(complaints.get(-1));
  return events.map((_, at) => complaints.get(at));
}

// The log keeps data as it was written, and an upcaster makes the present version of it. If a type declares a field that old
// events lack, code that reads it gets undefined.
describe('the data of an event', () => {
  let complaints: ReadonlyMap<string, string | undefined>;
  const present = samples.map((sample) => codec.decode(sample));
  const [first] = present;

  beforeAll(() => {
    const refusals = complaintsAbout(present);
    complaints = new Map(samples.map(({ type }, at) => [type, refusals[at]]));
  });

  it.each(samples.map(({ type }) => type))(
    '%s has the fields that its present version declares, and no other',
    (type) => {
      expect(complaints.get(type)).toBeUndefined();
    },
  );

  it('of an earlier version has them after its upcasters', () => {
    const [old] = BELL_SAMPLES;
    const upcast = new Codec([bellEvents]).decode(old as Recorded);
    const forgotten = { ...upcast, data: old.data };
    expect(complaintsAbout([upcast, forgotten])).toEqual([
      undefined,
      expect.stringContaining("Property 'times' is missing"),
    ]);
  });

  it('that lacks a field, or has another value than the type allows, is named with that field', () => {
    const held = present.find(({ type }) => type === 'hold-placed.v1');
    if (held === undefined || first === undefined) throw new Error('no sample');
    const { deadline: _, ...rest } = held.data as { deadline: number };
    const refusals = complaintsAbout([
      first,
      { ...held, data: rest },
      { ...held, data: { ...rest, deadline: 'soon' } },
    ]);
    expect(refusals[0]).toBeUndefined();
    expect(refusals[1]).toContain("Property 'deadline' is missing");
    expect(refusals[2]).toContain("Type 'string' is not assignable to type 'number'");
  });
});
