import type { Cleanup } from '../../test/bench/cleanup.js';
import type { Request } from '../../test/bench/load/visit.js';
import { startChild } from './child.ts';
import { startOurs } from './holdfast.ts';
import { itemIds, REGION, type Name, type Peer } from './peer.ts';
import type { Postgres } from './postgres.ts';

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
};

/** A server of `servers/` that has our plain calls. */
function written(title: string, file: string, way: Name): Start {
  return async ({ folder, items, count, cleanup, postgres }) => {
    const child = await cleanup.begun(startChild(file, { postgres: await postgres(), folder, items, way }));
    const ask = async (method: string, path: string, body?: object): Promise<unknown> => {
      const about = body === undefined ? {} : { headers: JSON_TYPE, body: JSON.stringify(body) };
      const answer = await fetch(`http://127.0.0.1:${child.ports[0]}${path}`, { method, ...about });
      if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
      return answer.json();
    };
    const get = (path: string): Request => ({ method: 'GET', path, headers: [] });
    return {
      title,
      server: child,
      reserve: (item) => ({
        method: 'POST',
        path: '/reserve',
        headers: [],
        body: JSON.stringify({ deal_id: item, num_bought: 1 }),
      }),
      accepted: (status) => status === 200,
      list: () => ({ requests: [get(`/deals?region=${REGION}`)] }),
      read: () => ({ requests: [get('/deals/{value}')], values: itemIds(count) }),
      addItem: async (id, stock) => {
        await ask('POST', '/items', { id, stock });
      },
      taken: async (item) => ((await ask('GET', `/taken/${item}`)) as { taken: number }).taken,
    };
  };
}
