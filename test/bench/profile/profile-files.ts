import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CpuProfile } from './inspector.js';
import { topFrames, type Frame } from './top-frames.js';

const MOST_OWN = 20;
/** Many callers stand above what is expensive. */
const MOST_TOTAL = 60;
/** A thread that was busy for less is not shown, in seconds. */
const LEAST_BUSY = 0.02;
const percent = (share: number): string => `${(share * 100).toFixed(1).padStart(5)} %`;

/** Writes profiles of threads into a folder, for DevTools. */
export function writeProfiles(folder: string, profiles: ReadonlyMap<string, CpuProfile>): void {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const [thread, profile] of profiles) {
    writeFileSync(join(folder, `${thread}.cpuprofile`), JSON.stringify(profile));
  }
}

/** Prints the most expensive functions of each profile in a folder: by their own time, and with what they called. */
export function tellOfProfiles(folder: string, progress: (line: string) => void): void {
  for (const file of readdirSync(folder).sort()) {
    const { busy, frames } = topFrames(JSON.parse(readFileSync(join(folder, file), 'utf8')) as CpuProfile);
    if (busy < LEAST_BUSY) continue;
    progress(`\n${join(folder, file)}: ${busy.toFixed(2)} s busy`);
    const tell = (title: string, most: number, by: (frame: Frame) => number): void => {
      progress(`  ${title}`);
      const top = frames.toSorted((a, b) => by(b) - by(a)).slice(0, most);
      for (const frame of top) progress(`    ${percent(by(frame))} ${frame.name}`);
    };
    tell('own time', MOST_OWN, ({ own }) => own);
    tell('with what it called', MOST_TOTAL, ({ total }) => total);
  }
}
