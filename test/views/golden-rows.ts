import { createHash, type Hash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { EmbeddedLogReader } from '#adapters/embedded';
import type { Recorded, View } from '#kernel';
import { codec } from '#platform/model';
import { goldenFolders, readRecording, unpack } from '../golden/recording.js';
import { eventsIn } from '../support/data-folder.js';
import { tempFolder } from '../support/temp-folder.js';

const GOLDEN = 'test/golden';
const isSample = (input: string): boolean => input.endsWith('.json');

/**
 * The inputs that views are folded from, in this order: the samples of event types in the order of the registry, then the golden
 * folders whose log is a file.
 */
export function goldenInputs(): readonly string[] {
  const samples = new Set(readdirSync(GOLDEN).filter(isSample));
  const folders = goldenFolders().filter((golden) => readRecording(golden).log === 'embedded');
  return [
    ...codec.names.map((name) => `${name}.json`).filter((file) => samples.has(file)),
    ...folders.map((golden) => basename(golden)),
  ];
}

/** One log for all samples together and one for each folder, with events in this build's versions. */
export async function logsOf(inputs: readonly string[]): Promise<readonly (readonly Recorded[])[]> {
  const samples = inputs.filter(isSample).map((file, index) => sampleAt(file, index));
  const logs = [samples];
  for (const folder of inputs.filter((input) => !isSample(input))) logs.push(await eventsOfFolder(folder));
  return logs.map((events) => events.filter(({ type }) => codec.knows(type)).map((event) => codec.decode(event)));
}

function sampleAt(file: string, index: number): Recorded {
  const sample = JSON.parse(readFileSync(join(GOLDEN, file), 'utf8')) as Pick<Recorded, 'stream' | 'type' | 'data'>;
  const metadata = { time: 1, command_id: 'c', correlation: 'r', causation: null, actor: 'a' };
  return { ...sample, id: `event-${index}`, revision: index, position: BigInt(index + 1), metadata };
}

async function eventsOfFolder(name: string): Promise<Recorded[]> {
  const copy = tempFolder();
  try {
    unpack(join(GOLDEN, name), copy.path);
    return [...(await eventsIn(EmbeddedLogReader.open(join(copy.path, 'events.db'))))];
  } finally {
    copy.remove();
  }
}

/**
 * The digest of everything that the store would receive for a view: every row after every event with the values of its fields,
 * and the names of fields and indexes. The order of a row's properties does not count.
 */
export function digestOf(view: View, logs: readonly (readonly Recorded[])[]): string {
  const digest = createHash('sha256');
  const kinds = Object.entries(view.fields).map(([name, { kind }]) => [name, kind]);
  digest.update(
    JSON.stringify([
      kinds.sort(),
      view.indexes,
      ...(view.orders.length > 0 ? [view.orders] : []),
      ...(view.nearOrders.length > 0 ? [view.nearOrders] : []),
    ]),
  );
  for (const log of logs) tell(digest, view, log);
  return digest.digest('hex');
}

function tell(digest: Hash, view: View, log: readonly Recorded[]): void {
  const fields = Object.entries(view.fields);
  const rows = new Map<string, object>();
  for (const event of log) {
    if (!view.types.has(event.type)) continue;
    for (const key of view.keys(event)) {
      const before = rows.get(key);
      const row = view.apply(before, event, key);
      if (row === before) continue;
      if (row === undefined) rows.delete(key);
      else rows.set(key, row);
      const values = row === undefined ? {} : Object.fromEntries(fields.map(([name, field]) => [name, field.of(row)]));
      digest.update(JSON.stringify([key, row ?? null, values], sorted));
    }
  }
}

function sorted(_: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
