import type { Cleanup } from '../../test/bench/cleanup.js';
import type { Request } from '../../test/bench/load/visit.js';
import { startChild } from './child.ts';
import { startOurs } from './holdfast.ts';
import { itemIds, REGION, type Calls, type Made, type Name, type Peer } from './peer.ts';
import type { Postgres } from './postgres.ts';
import { vendureCalls } from './vendure.ts';

/** What peers are started with. */
export interface Surroundings {
  readonly folder: string;
  /** The file of the items, which Holdfast writes: it starts first. */
  readonly items: string;
  readonly count: number;
  readonly cleanup: Cleanup;
  readonly postgres: () => Promise<Postgres>;
}

const JSON_TYPE = { 'content-type': 'application/json' };

type Start = (surroundings: Surroundings) => Promise<Peer>;

/** In the order in which they start and take turns. */
export const PEERS: Readonly<Record<Name, Start>> = {
  holdfast: ({ folder, count, items, cleanup }) => cleanup.begun(startOurs(folder, count, items)),
  transaction: written('by hand, a transaction', 'hand-written', 'transaction'),
  statement: written('by hand, one statement', 'hand-written', 'statement'),
  emmett: written('Emmett', 'emmett', 'emmett'),
  'emmett-kept': written('Emmett, states kept in memory', 'emmett', 'emmett-kept'),
  vendure: started('Vendure', 'vendure', 'vendure', vendureCalls),
};

/** A server of `servers/`. @param made receives what the server said of a new item */
function started(title: string, file: string, way: Name, calls: (count: number, made: Made) => Calls): Start {
  return async ({ folder, items, count, cleanup, postgres }) => {
    const child = await cleanup.begun(startChild(file, { postgres: await postgres(), folder, items, way }));
    const ask = async (method: string, path: string, body?: object): Promise<unknown> => {
      const about = body === undefined ? {} : { headers: JSON_TYPE, body: JSON.stringify(body) };
      const answer = await fetch(`http://127.0.0.1:${child.ports[0]}${path}`, { method, ...about });
      if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
      return answer.json();
    };
    const made = new Map<string, unknown>();
    return {
      title,
      server: child,
      ...calls(count, made),
      addItem: async (id, stock) => void made.set(id, await ask('POST', '/items', { id, stock })),
      taken: async (item) => ((await ask('GET', `/taken/${item}`)) as { taken: number }).taken,
    };
  };
}

/** A server written by hand has plain calls. */
function written(title: string, file: string, way: Name): Start {
  const get = (path: string): Request => ({ method: 'GET', path, headers: [] });
  return started(title, file, way, (count) => ({
    reserve: (item) => {
      const body = JSON.stringify({ deal_id: item, num_bought: 1 });
      return { requests: [{ method: 'POST', path: '/reserve', headers: [], body }] };
    },
    accepted: (status) => status === 200,
    list: () => ({ requests: [get(`/deals?region=${REGION}`)] }),
    read: () => ({ requests: [get('/deals/{value}')], values: itemIds(count) }),
  }));
}
