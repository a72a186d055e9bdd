import { join } from 'node:path';
import type { Options } from '../options.js';
import type { Holdfast } from '../servers/holdfast.js';
import { Inspector } from './inspector.js';
import { tellOfProfiles, writeProfiles } from './profile-files.js';

/** The folder of a row's profiles. */
export function profilesOf({ folder }: Pick<Options, 'folder'>, row: string): string {
  return join(folder, 'bench-profiles', row.replaceAll(/[^\w-]+/g, '-'));
}

/** Does some work while every thread of the service is profiled; writes the profiles and prints what is most expensive. */
export async function profiled<T>(
  { options, progress }: { readonly options: Options; readonly progress: (line: string) => void },
  row: string,
  { inspector: url }: Pick<Holdfast, 'inspector'>,
  work: () => Promise<T>,
): Promise<T> {
  if (url === undefined) throw new Error('a profile needs a service that was started with the inspector');
  const inspector = await Inspector.connect(url);
  await inspector.begin();
  const done = await work();
  const profiles = await inspector.end();
  inspector.close();
  const folder = profilesOf(options, row);
  writeProfiles(folder, profiles);
  tellOfProfiles(folder, progress);
  return done;
}
