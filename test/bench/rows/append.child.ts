import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { EmbeddedLog } from '#adapters/embedded';
import { thisMachine } from '#adapters/machine';
import { EventIds, newCommandId, NO_STREAM, type NewEvent } from '#eventsourcing';

// Writes events in batches, each with one sync: through the engine's log, or with bare SQLite into a table without an index.
const BATCH = 64;
/** So many batches that both ways run as compiled code, and that the engine's log has had its first checkpoint. */
const WARM_UP = 300;
/** About as long as the data of a hold. */
const DATA = { partner_id: 'p'.repeat(16), deal_id: 'a-deal', quantity: 1, price: 1_000, note: 'n'.repeat(180) };

const [way = '', folder = '', count = ''] = process.argv.slice(2);
const inside = mkdtempSync(join(folder, 'append-'));
const file = join(inside, 'events.db');
const ids = new EventIds(thisMachine.randomness);
const now = Date.now();

/** Writes one batch, whose number makes the names of its streams. */
type Write = (batch: number) => Promise<void>;

function metadata(): NewEvent['metadata'] {
  const id = newCommandId(now, thisMachine.randomness);
  return { time: now, command_id: id, correlation: id, causation: null, actor: 'partner:bench' };
}

const streamOf = (batch: number, nth: number): string =>
  `reservation-${(batch * BATCH + nth).toString(16).padStart(32, '0')}`;

async function engine(): Promise<{ write: Write; close(): Promise<void> }> {
  const log = await EmbeddedLog.open({ file });
  const one = async (batch: number, nth: number): Promise<void> => {
    const event: NewEvent = { type: 'reservation-placed.v1', data: DATA, id: ids.next(), metadata: metadata() };
    const [result] = await log.append([{ stream: streamOf(batch, nth), expected: NO_STREAM, events: [event] }]);
    if (result?.kind !== 'written') throw new Error(`the append was answered ${result?.kind ?? 'nothing'}`);
  };
  return {
    write: async (batch) => {
      await Promise.all(Array.from({ length: BATCH }, (_, nth) => one(batch, nth)));
    },
    close: () => log.close(),
  };
}

function bare(): { write: Write; close(): Promise<void> } {
  const database = new DatabaseSync(file);
  database.exec(
    'PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;' +
      'CREATE TABLE events (position INTEGER PRIMARY KEY, stream TEXT, revision INTEGER, id TEXT, type TEXT, time INTEGER,' +
      ' command_id TEXT, correlation TEXT, causation TEXT, actor TEXT, data TEXT)',
  );
  const insert = database.prepare(
    'INSERT INTO events (stream, revision, id, type, time, command_id, correlation, causation, actor, data)' +
      ' VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
  );
  return {
    write: async (batch) => {
      database.exec('BEGIN IMMEDIATE');
      for (let nth = 0; nth < BATCH; nth += 1) {
        const { time, command_id, correlation, causation, actor } = metadata();
        const id = ids.next();
        const data = JSON.stringify(DATA);
        const type = 'reservation-placed.v1';
        insert.run(streamOf(batch, nth), 0, id, type, time, command_id, correlation, causation, actor, data);
      }
      database.exec('COMMIT');
    },
    close: async () => database.close(),
  };
}

const { write, close } = way === 'engine' ? await engine() : bare();
const batches = Math.ceil(Number(count) / BATCH);
for (let batch = 0; batch < WARM_UP; batch += 1) await write(batch);
const [began, cpu] = [performance.now(), process.cpuUsage()];
for (let batch = WARM_UP; batch < WARM_UP + batches; batch += 1) await write(batch);
const { user, system } = process.cpuUsage(cpu);
const events = batches * BATCH;
process.send?.({ rate: events / ((performance.now() - began) / 1_000), cpu: (user + system) / events });
await close();
rmSync(inside, { recursive: true });
process.disconnect();
