import { rmSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import type { Bench, Measurement } from '../bench.js';
import { FOLDERS } from '../folders/folder-spec.js';
import { memoryOf } from '../measure/process-use.js';
import { median, spreadOf } from '../measure/median.js';
import { timedStart } from '../servers/timed-start.js';
import { tellOfProfiles } from '../profile/profile-files.js';
import { profilesOf } from '../profile/profiled.js';
import { copyOf } from './catalogue.js';

/** Milliseconds after which a service that nobody calls has done what it does after a start. */
const REST = 10_000;
const BRIEF_REST = 2_000;

/** A start on an empty folder that was started before: an installation's usual start. */
export const startCpu: Measurement = async (bench, row) => {
  const dataDir = bench.newFolder();
  await timedStart(dataDir, bench.folder);
  const starts = [];
  for (let turn = 0; turn < bench.options.turns; turn += 1) starts.push(await timedStart(dataDir, bench.folder));
  if (bench.options.profile) {
    const profiles = profilesOf(bench.options, row);
    rmSync(profiles, { recursive: true, force: true });
    await timedStart(dataDir, bench.folder, { profiles });
    tellOfProfiles(profiles, bench.progress);
  }
  const shown = { 'seconds until ready': median(starts.map(({ seconds }) => seconds)) };
  return [{ figure: spreadOf(starts.map(({ cpu }) => cpu)), shown }];
};

/** What a service needs some seconds after its start, before anybody calls it. */
export const memory: Measurement = async (bench) => {
  const dataDir = bench.newFolder();
  const { turns, seconds } = bench.options;
  const rest = seconds < 1 ? BRIEF_REST : REST;
  const once = async (): Promise<number> =>
    bench.cluster === undefined
      ? (await timedStart(dataDir, bench.folder, { rest })).memory
      : memoryOfCluster(bench, dataDir, rest);
  await once();
  const taken: number[] = [];
  for (let turn = 0; turn < turns; turn += 1) taken.push(await once());
  return [{ figure: spreadOf(taken) }];
};

/** All its processes together. */
async function memoryOfCluster(bench: Bench, dataDir: string, rest: number): Promise<number> {
  const cleanup = bench.newCleanup();
  const { processes } = await bench.start(cleanup, dataDir);
  await pause(rest);
  const taken = memoryOf(processes);
  await cleanup.run();
  return taken;
}

/** A start with a long log, whose views are up to date. */
export const start: Measurement = async (bench, row) => {
  const { dataDir, notes } = await copyOf(bench, FOLDERS.million);
  // The first one reads files that the copy has just written.
  await timedStart(dataDir, bench.folder);
  const starts = [];
  for (let turn = 0; turn < bench.options.turns; turn += 1) {
    starts.push(await timedStart(dataDir, bench.folder));
    bench.progress(`${row}: ${starts.at(-1)?.seconds.toFixed(2)} s`);
  }
  rmSync(dataDir, { recursive: true });
  const shown = { 'CPU seconds': median(starts.map(({ cpu }) => cpu)) };
  return [{ of: `${notes.spec.purchases} purchases`, figure: spreadOf(starts.map(({ seconds }) => seconds)), shown }];
};
