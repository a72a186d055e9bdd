import { join } from 'node:path';
import type { Bench, Measurement } from '../bench.js';
import { FOLDERS } from '../folders/folder-spec.js';
import { spreadOf } from '../measure/median.js';
import type { Measured } from '../result.js';
import { openPlace, type Opened } from './catalogue.js';
import { runChild } from './child-work.js';
import { rebuildSeconds, viewNames } from './projections.js';

/** A rebuild takes far longer than a turn of requests. */
const MOST_TURNS = 3;

/** Rebuild of the two largest views together. */
export const rebuild: Measurement = async (bench, row) => {
  const opened = await openPlace(bench, FOLDERS.million);
  return [await measured(bench, row, opened, ['deals', 'purchases'])];
};

/** Rebuild of each view alone. */
export const rebuildEach: Measurement = async (bench, row) => {
  const opened = await openPlace(bench, FOLDERS.million);
  const lines: Measured[] = [];
  for (const view of await viewNames(opened.holdfast.service)) {
    lines.push({ of: view, ...(await measured(bench, `${row}-${view}`, opened, [view])) });
  }
  return lines;
};

/** The events per second of a rebuild ÷ those of a program that only reads the events and parses their JSON. */
async function measured(bench: Bench, row: string, { holdfast }: Opened, views: readonly string[]): Promise<Measured> {
  const { service } = holdfast;
  const log = join(service.dataDir, 'events.db');
  const [ratios, ours, bare]: [number[], number[], number[]] = [[], [], []];
  for (let turn = 0; turn < Math.min(bench.options.turns, MOST_TURNS); turn += 1) {
    const scanned = await runChild<{ events: number; seconds: number }>('scan-log', [log]);
    const seconds = await rebuildSeconds(service, views);
    ours.push(scanned.events / seconds);
    bare.push(scanned.events / scanned.seconds);
    ratios.push(scanned.seconds / seconds);
    bench.progress(
      `${row}: ${seconds.toFixed(1)} s for ${scanned.events} events; bare ${scanned.seconds.toFixed(1)} s`,
    );
  }
  if (bench.options.profile) await bench.profiled(row, holdfast, () => rebuildSeconds(service, views));
  const shown = { 'events per second': spreadOf(ours).median, 'bare events per second': spreadOf(bare).median };
  return { figure: spreadOf(ratios), shown };
}
