import { join } from 'node:path';
import type { Options } from '../options.js';
import type { Holdfast } from '../servers/holdfast.js';
import { Inspector, type CpuProfile } from './inspector.js';
import { tellOfProfiles, writeProfiles } from './profile-files.js';

/** The folder of a row's profiles. */
export function profilesOf({ folder }: Pick<Options, 'folder'>, row: string): string {
  return join(folder, 'bench-profiles', row.replaceAll(/[^\w-]+/g, '-'));
}

/** Does some work while every thread of the service is profiled; writes the profiles and prints what is most expensive. */
export async function profiled<T>(
  { options, progress }: { readonly options: Options; readonly progress: (line: string) => void },
  row: string,
  { inspectors }: Pick<Holdfast, 'inspectors'>,
  work: () => Promise<T>,
): Promise<T> {
  if (inspectors.length === 0) throw new Error('a profile needs a service that was started with the inspector');
  const processes = await Promise.all(inspectors.map((url) => Inspector.connect(url)));
  for (const process of processes) await process.begin();
  const done = await work();
  const profiles = new Map<string, CpuProfile>();
  for (const [nth, process] of processes.entries()) {
    const name = processes.length === 1 ? '' : `${await process.program()}-${nth}-`;
    for (const [thread, profile] of await process.end()) profiles.set(name + thread, profile);
    process.close();
  }
  const folder = profilesOf(options, row);
  writeProfiles(folder, profiles);
  tellOfProfiles(folder, progress);
  return done;
}
