import { DatabaseSync } from 'node:sqlite';

// The yardstick of a rebuild: reads every event of a log, and parses its data. Nothing less can build a view.
const [file = ''] = process.argv.slice(2);
const database = new DatabaseSync(file, { readOnly: true });
const all = database.prepare(
  'SELECT position, stream, revision, id, type, time, command_id, correlation, causation, actor, data FROM events ORDER BY position',
);
let events = 0;
const began = performance.now();
for (const { data } of all.iterate()) {
  JSON.parse(data as string);
  events += 1;
}
process.send?.({ events, seconds: (performance.now() - began) / 1_000 });
process.disconnect();
