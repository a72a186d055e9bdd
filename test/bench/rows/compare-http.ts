import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Bench } from '../bench.js';
import type { Visit } from '../load/visit.js';
import type { Measured } from '../result.js';
import { ChildServer } from '../servers/child-server.js';
import type { Holdfast } from '../servers/holdfast.js';
import type { Server } from '../servers/server.js';
import { answersOf } from './yardstick-answers.js';

/** What a row asks of the service. */
export interface Asked {
  /** Called before each turn. */
  visit(): Visit | Promise<Visit>;
}

/** Measures requests against the bare Nest server, which gives the same answers. */
export async function againstBare(bench: Bench, row: string, holdfast: Holdfast, { visit }: Asked): Promise<Measured> {
  const sample = await visit();
  return againstChild(bench, 'bare-nest', await answersOf(holdfast.service, sample), (server) =>
    bench.compare(row, { name: 'Holdfast', server: holdfast, visit }, [
      { name: 'bare', server, visit: () => ({ ...sample, once: false }) },
    ]),
  );
}

/** Measures a list against a server that sends the same list, as a string and as ready bytes. */
export async function againstList(bench: Bench, row: string, holdfast: Holdfast, { visit }: Asked): Promise<Measured> {
  const sample = await visit();
  const [text = ''] = Object.values(await answersOf(holdfast.service, sample));
  const measured = await againstChild(bench, 'list-server', { list: text }, (server) => {
    const sending = (kind: string) => ({
      name: kind,
      server,
      visit: (): Visit => ({ requests: [{ method: 'GET', path: `/${kind}/list`, headers: [] }] }),
    });
    return bench.compare(row, { name: 'Holdfast', server: holdfast, visit }, [sending('string'), sending('buffer')]);
  });
  return { ...measured, shown: { ...measured.shown, 'bytes of the list': Buffer.byteLength(text) } };
}

/** Measures beside a server that runs only for this. @param answers what it answers, as its file reads it */
async function againstChild(
  bench: Bench,
  name: string,
  answers: object,
  measure: (server: Server) => Promise<Measured>,
): Promise<Measured> {
  const file = join(bench.folder, `${name}.json`);
  writeFileSync(file, JSON.stringify(answers));
  const cleanup = bench.newCleanup();
  const { server } = await cleanup.begun(ChildServer.start(name, file, bench.folder));
  try {
    return await measure(server);
  } finally {
    await cleanup.run();
  }
}
