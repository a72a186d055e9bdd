import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { viewsOn } from '#platform/model';
import { discardLeftovers, newDataDir, RunningService } from '../support/running-service.js';

/** The first column of each table of docs/growth.md, by the title of that column. */
function linesOfPage(): ReadonlyMap<string, readonly string[]> {
  const lines = new Map<string, string[]>();
  let title: string | undefined;
  for (const line of readFileSync(resolve('docs/growth.md'), 'utf8').split('\n')) {
    const first = /^\| ([^|]+?) +\|/.exec(line)?.[1];
    if (first === undefined) title = undefined;
    else if (title === undefined) lines.set((title = first), lines.get(title) ?? []);
    else if (first.startsWith('`')) lines.get(title)?.push(first.replaceAll('`', ''));
  }
  return lines;
}

/** What SQLite keeps beside a database. */
const COMPANION = /-(wal|shm|journal)$/;

/** The tables of a database. */
function tablesOf(file: string): readonly string[] {
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    return database
      .prepare(`SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'`)
      .all()
      .map(({ name }) => String(name));
  } finally {
    database.close();
  }
}

describe('docs/growth.md has a line for', () => {
  const page = linesOfPage();
  const dataDir = newDataDir();
  const sorted = (names: Iterable<string>): readonly string[] => [...new Set(names)].toSorted();

  beforeAll(async () => {
    const service = await RunningService.start({ dataDir, env: { DEMO: 'true' } });
    await service.stop();
  });
  afterAll(discardLeftovers);

  it('each file of a data folder', () => {
    const files = readdirSync(dataDir).filter((name) => !COMPANION.test(name));
    // Mails and snapshots have their place in a folder when there is one.
    expect(sorted([...files, 'outbox', 'views/snapshots'])).toEqual(sorted(page.get('file') ?? []));
  });

  it('each table', () => {
    const own = ['events.db', 'state.db'].flatMap((name) =>
      tablesOf(join(dataDir, name)).map((table) => `${name}: ${table}`),
    );
    const ofViews = readdirSync(join(dataDir, 'views'))
      .filter((name) => name.endsWith('.db'))
      .flatMap((name) => tablesOf(join(dataDir, 'views', name)).map((table) => `views: ${table}`));
    expect(ofViews).not.toEqual([]);
    expect(sorted([...own, ...ofViews])).toEqual(sorted(page.get('table') ?? []));
  });

  it('each view', () => {
    const all = viewsOn({ countsBytes: true });
    expect(sorted(all.map(({ name }) => name))).toEqual(sorted(page.get('view') ?? []));
  });

  it('each collection of MongoDB', () => {
    const folder = resolve('libs/adapters/mongodb');
    const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
      (name) => name.endsWith('.ts') && !name.endsWith('.spec.ts'),
    );
    const named = sources.flatMap((name) =>
      [...readFileSync(join(folder, name), 'utf8').matchAll(/\bcollection(?:<\w+>)?\('(\w+)'\)/g)].map(
        ([, collection = '']) => collection,
      ),
    );
    expect(sorted(named)).toEqual(sorted(page.get('collection') ?? []));
  });
});
