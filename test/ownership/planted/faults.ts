import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parsePatch } from '../../sim/planted/defects.js';
import type { Planted } from '../../sim/planted/replacement.js';
import { ROOT } from '../../sim/planted/targets.js';

const FOLDER = join(ROOT, 'test/ownership/planted/faults');

/** A test of a compiled spec. */
export interface Finder {
  /** From `dist`. */
  readonly spec: string;
  /** A part of its title. */
  readonly title: string;
}

/** Which test finds which fault. */
const FINDERS: Readonly<Record<string, Finder>> = {
  'record-not-found-taken-for-an-empty-log': {
    spec: 'test/ownership/filled-node.world.spec.js',
    title: 'its position proves the log',
  },
  'record-written-over': {
    spec: 'test/ownership/filled-node.world.spec.js',
    title: 'its position proves the log',
  },
  'lease-not-found-taken-for-free': {
    spec: 'test/ownership/filled-node.world.spec.js',
    title: 'never both decide',
  },
  'new-identity-beside-events-of-ours': {
    spec: 'libs/adapters/eventstoredb/shared-server.spec.js',
    title: 'gets no second log while events of the first one are there',
  },
  'cut-stream-begun-anew': {
    spec: 'test/ownership/cut-streams.world.spec.js',
    title: 'are never begun anew',
  },
  'wrong-clock-judged-as-ours': {
    spec: 'test/ownership/server-clocks.world.spec.js',
    title: 'a running service sells on if a leader’s is off by 20000 ms',
  },
};

/** Faults in how the log of a real server is met, each planted by a patch, with the test that finds it. */
export function faults(): readonly (readonly [id: string, fault: Planted, finder: Finder | undefined])[] {
  return readdirSync(FOLDER).map((file) => {
    const id = basename(file, '.patch');
    return [id, parsePatch(id, readFileSync(join(FOLDER, file), 'utf8')), FINDERS[id]];
  });
}
