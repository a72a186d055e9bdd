import { globSync, readFileSync, readdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { beforeAll, describe, expect, it } from '@jest/globals';
import {
  categoryOf,
  type Decided,
  type Directive,
  type FollowUp,
  type LackingFact,
  type Recorded,
  type View,
} from '#kernel';
import { listedSums, presentSums } from '../../test/golden/sums.js';
import { categories, codec, deciders, eventTypes, followers, openFollowers, views, workLists } from './registry.js';

interface Sample {
  readonly stream: string;
  readonly type: string;
  readonly data: object;
}

const GOLDEN = resolve('test/golden');
const files = readdirSync(GOLDEN).filter((name) => name.endsWith('.json'));
const contentOf = (file: string): Sample => JSON.parse(readFileSync(resolve(GOLDEN, file), 'utf8')) as Sample;
const samples = new Map(files.map((file) => [file.slice(0, -'.json'.length), contentOf(file)]));
const deciderOf = new Map(deciders.map((decider) => [decider.category, decider]));

/** The samples as events of the log, in the order in which their types are registered. */
const events: Recorded[] = codec.names.flatMap((name, index) => {
  const sample = samples.get(name);
  if (sample === undefined) return [];
  const metadata = { time: 1, command_id: 'c', correlation: 'r', causation: null, actor: 'a' };
  return [{ ...sample, id: `event-${index}`, revision: index, position: BigInt(index + 1), metadata }];
});

/** The places of undefined values: there, the code read a field by a name that is not on disk. */
function holes(value: unknown, path = ''): string[] {
  if (value === undefined) return [path];
  if (typeof value !== 'object' || value === null) return [];
  const plain = 'toJS' in value && typeof value.toJS === 'function' ? (value.toJS() as object) : value;
  return Object.entries(plain).flatMap(([name, each]) => holes(each, `${path}.${name}`));
}

/** A follower with the fact that it lacks, from the samples. */
function wholeOf({ fact, complete }: LackingFact): Directive {
  for (const event of events) {
    const whole = event.stream === fact.stream ? complete(codec.decode(event)) : undefined;
    if (whole !== undefined) return whole;
  }
  throw new Error(`no sample has the fact ${fact.stream}@${fact.revision}`);
}

describe('an event on disk', () => {
  it('has a sample in test/golden for every type that this build reads, and for no other', () => {
    expect([...samples.keys()].sort()).toEqual([...codec.names].sort());
    for (const [name, { type }] of samples) expect(type).toBe(name);
  });

  // An event type and each of its fields keep their meaning for ever: a new meaning is a new version with an upcaster, and recorded
  // folders stay as their build wrote them. The list only grows (`npm run views:record`).
  it('never changes unnoticed: a list has the sums of samples and recorded folders', () => {
    expect(presentSums()).toEqual(listedSums());
  });

  it.each(codec.names)('%s is upcast to a present version', (name) => {
    const event = events.find(({ type }) => type === name);
    if (event === undefined) throw new Error('no sample');
    const decoded = codec.decode(event);
    expect(eventTypes.flatMap(({ names }) => names)).toContain(decoded.type);
    expect(holes(decoded.data)).toEqual([]);
  });

  it.each(eventTypes.map(({ category, names }) => [category, names] as const))(
    'of %s is folded by its decider, and every field that the decider reads exists',
    (category, names) => {
      const decider = deciderOf.get(category);
      if (decider === undefined) throw new Error('no decider');
      let state: unknown = decider.initialState;
      for (const event of events.map((each) => codec.decode(each))) {
        if (!names.includes(event.type)) continue;
        expect(event.stream.startsWith(`${category}-`)).toBe(true);
        state = decider.evolve(state, event);
        expect(holes(state)).toEqual([]);
      }
      expect(state).not.toEqual(decider.initialState);
    },
  );

  /** What is abandoned names its list: the sample is of another one. */
  const abandonedIn = ({ name }: View): Recorded => {
    const sample = events.find(({ type }) => type === 'work-abandoned.v1');
    if (sample === undefined) throw new Error('no sample');
    return { ...sample, data: { ...sample.data, list: name } };
  };

  it.each(views.filter((view) => view !== openFollowers.view).map((view) => [view.name, view] as const))(
    'is folded by the view %s, and every field that the view reads exists',
    (_, view) => {
      const rows = new Map<string, object>();
      const taken = new Set<string>();
      for (const event of [...events.map((each) => codec.decode(each)), abandonedIn(view)]) {
        if (!view.types.has(event.type)) continue;
        for (const key of view.keys(event)) {
          expect(key).toEqual(expect.stringMatching(/./));
          const row = view.apply(rows.get(key), event, key);
          taken.add(event.type);
          expect(holes(row ?? {})).toEqual([]);
          if (row === undefined) rows.delete(key);
          else rows.set(key, row);
          for (const field of Object.values(view.fields))
            if (row !== undefined) expect(holes(field.of(row))).toEqual([]);
        }
      }
      expect([...taken].sort()).toEqual([...view.types].sort());
    },
  );

  it('has its followers, and every field that they read exists', () => {
    const directives = events
      .map((each) => codec.decode(each))
      .flatMap((event): readonly FollowUp[] => {
        const handler = followers.find(({ category }) => category === categoryOf(event.stream))?.on[event.type];
        return handler === undefined ? [] : handler(event as Decided<never>);
      })
      .map((followUp) => ('command' in followUp ? followUp : wholeOf(followUp)));
    expect(directives.length).toBeGreaterThan(0);
    for (const { decider, id, command } of directives) {
      expect(deciderOf.get(decider.category)).toBe(decider);
      expect(holes({ id, command })).toEqual([]);
    }
  });
});

describe('the registry', () => {
  it('has no name twice', () => {
    for (const names of [
      views.map(({ name }) => name),
      eventTypes.map(({ category }) => category),
      workLists.map(({ name }) => name),
    ]) {
      expect(new Set(names).size).toBe(names.length);
    }
  });

  it('has no view with due work outside the work lists, where nobody would do it', () => {
    const ofWork = views.filter((view) => 'due_at' in view.fields).map(({ name }) => name);
    expect(ofWork).toEqual(workLists.map(({ name }) => name));
  });

  it('G7.8: indexes every event type of every context', () => {
    const index = views.find(({ name }) => name === 'event-index');
    expect([...(index?.types ?? [])].toSorted()).toEqual(eventTypes.flatMap(({ names }) => names).toSorted());
  });

  // An index that was built before an upcaster must find the events that have a new version now.
  it('G7.8: gives a type a new version, and no new name', () => {
    const nameOf = (type: string): string => type.replace(/\.v\d+$/, '');
    for (const { upcasters } of eventTypes) for (const { from, to } of upcasters) expect(nameOf(to)).toBe(nameOf(from));
  });

  it('knows every type that a view handles, so that no view waits for an event that is never written', () => {
    for (const view of views) for (const type of view.types) expect(codec.names).toContain(type);
  });
});

// What no model has compiles and passes its own spec, but never runs.
describe('the models of the contexts', () => {
  let exported: readonly object[];

  beforeAll(async () => {
    // By their sources: a build may leave what was made from deleted ones.
    const sources = globSync(
      'libs/!(adapters|eventsourcing|kernel|platform)/**/{*.decider,*.events,*.view,*.work,followers}.ts',
    );
    const files = sources.map((file) => pathToFileURL(resolve('dist', file.replace(/ts$/, 'js'))).href);
    const modules = (await Promise.all(files.map((file) => import(file)))) as readonly object[];
    exported = modules.flatMap((each) => Object.values(each) as unknown[]).map(Object);
  });

  const workViews = new Set<object>(workLists.map(({ view }) => view));
  const kinds: readonly (readonly [kind: string, mark: string, least: number, declared: readonly object[]])[] = [
    ['decider', 'evolve', 20, deciders],
    ['list of event types', 'upcasters', 20, eventTypes],
    ['table of followers', 'on', 8, followers],
    ['view', 'indexes', 10, views.filter((view) => !workViews.has(view))],
    ['work list', 'view', 9, workLists.filter((list) => list !== openFollowers)],
  ];

  it.each(kinds)('have every %s that their folders define', (_, mark, least, declared) => {
    const found = exported.filter((each) => Object.hasOwn(each, mark));
    const missing = found.filter((each) => !declared.includes(each));
    expect(missing.map((each) => ('name' in each ? each.name : 'category' in each ? each.category : each))).toEqual([]);
    expect(new Set(found)).toEqual(new Set(declared));
    expect(found.length).toBeGreaterThan(least);
  });
});

describe('the categories of streams', () => {
  it('are those of all deciders', () => {
    expect([...categories].sort()).toEqual(deciders.map(({ category }) => category).sort());
  });

  // So a stream under a longer prefix that begins like ours can be recognized: it ends in one of our categories, or has more
  // than letters before the dash.
  it('have only letters, and none ends with another', () => {
    for (const one of categories) {
      expect(one).toMatch(/^[a-z]+$/i);
      expect(categories.filter((other) => other !== one && one.endsWith(other))).toEqual([]);
    }
  });
});
