import type { LoadGenerator } from '../../test/bench/load/load-generator.js';
import type { Visit } from '../../test/bench/load/visit.js';
import { sideOf, spreadOf, takeTurns } from './ours.ts';
import type { Options } from './options.ts';
import type { Name, Peer } from './peer.ts';
import { ROWS, type Result, type RowId, type Sale } from './run.ts';

const PLENTY = 1_000_000_000;
const WARM_UPS = 2;
const LIMITED = 50;
/** Callers of a limited sale at the same time, and what all of them ask for together. */
const CALLERS = 64;
const ASKED = 4 * LIMITED;

export type Peers = ReadonlyMap<Name, Peer>;

/** Measures a row: the peers take turns. */
export async function measureRow(
  row: RowId,
  peers: Peers,
  {
    turns,
    seconds,
    load,
    progress,
  }: Options & { readonly load: LoadGenerator; readonly progress: (line: string) => void },
): Promise<readonly Result[]> {
  const { asks, connections } = ROWS[row];
  const asked = [...peers].filter(([name]) => asks === 'reserve' || !ANOTHER_READS_ALIKE.has(name));
  const hot = new Map<Name, string>();
  const contenders = asked.map(([name, peer]) => {
    let turn = 0;
    const reserve = async (): Promise<Visit> => {
      turn += 1;
      const item = `${row}-${turn}`;
      await peer.addItem(item, PLENTY);
      hot.set(name, item);
      return peer.reserve(item);
    };
    return { name: peer.title, server: peer.server, visit: asks === 'reserve' ? reserve : () => peer[asks]() };
  });
  const taken = await takeTurns(contenders, {
    ...{ load, seconds, connections, turns, warmUps: WARM_UPS },
    progress: (line) => progress(`${row}: ${line}`),
  });
  const [ours = []] = taken;
  const results = asked.map(async ([name, peer], index): Promise<Result> => {
    const own = taken[index] ?? [];
    const [{ title }, item, requests] = [peer, hot.get(name), own.at(-1)?.requests];
    const reserved = item === undefined ? requests : await peer.taken(item);
    return {
      peer: name,
      title,
      side: sideOf(title, own),
      rate: spreadOf(own.map(({ rate }) => rate)),
      ...(index === 0 ? {} : { ahead: spreadOf(ours.map(({ rate }, turn) => rate / (own[turn]?.rate ?? NaN))) }),
      ...(reserved === requests ? {} : { wrong: `${requests} answers, but ${reserved} units in its books` }),
    };
  });
  return Promise.all(results);
}

/** Those that read what another peer reads, by the same code. */
const ANOTHER_READS_ALIKE: ReadonlySet<Name> = new Set(['transaction', 'emmett-kept']);

/** Sells a limited stock to more callers than there are units. */
export async function sell(name: Name, peer: Peer): Promise<Sale> {
  const item = 'limited';
  await peer.addItem(item, LIMITED);
  let [left, accepted] = [ASKED, 0];
  const caller = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      if (await reserveOne(peer, item, left)) accepted += 1;
    }
  };
  await Promise.all(Array.from({ length: CALLERS }, caller));
  return { peer: name, title: peer.title, stock: LIMITED, asked: ASKED, accepted, taken: await peer.taken(item) };
}

/** Makes the visit that reserves a unit, as the load generator would, but looks at the last answer. */
async function reserveOne(peer: Peer, item: string, nth: number): Promise<boolean> {
  const { requests, values = [''], id: pattern = '()' } = peer.reserve(item);
  let [id, accepted] = ['', false];
  for (const { method, path, headers, body } of requests) {
    const lines = headers.map((line) => line.replace('{id}', id).split(': ') as [string, string]);
    const answer = await fetch(`http://127.0.0.1:${peer.server.ports[0]}${path}`, {
      method,
      headers: { ...Object.fromEntries(lines), 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: body.replace('{value}', values[nth % values.length] ?? '') }),
    });
    const text = await answer.text();
    const head = [...answer.headers].map((line) => line.join(': ')).join('\n');
    id = new RegExp(pattern).exec(`${head}\n${text}`)?.[1] ?? '';
    accepted = peer.accepted(answer.status, text);
  }
  return accepted;
}
