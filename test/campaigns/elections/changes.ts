import { setTimeout as pause } from 'node:timers/promises';
import type { ClusterControl } from '../../support/eventstoredb/cluster-control.js';

/** Changes the leader of a cluster. @returns how to repair the cluster */
export type Change = (control: ClusterControl) => Promise<() => Promise<void>>;

/** Milliseconds without a leader, or without a quorum. */
const [SHORTEST, LONGEST] = [500, 3_000];
const NODES = [0, 1, 2];

const nothing = async (): Promise<void> => undefined;
const aWhile = (): number => SHORTEST + Math.random() * (LONGEST - SHORTEST);

/** The index of the leader; waits while there is none. */
export async function leaderOf(control: ClusterControl): Promise<number> {
  for (;;) {
    const index = await control.leader();
    if (index !== undefined) return index;
    await pause(2);
  }
}

/** Every kind of change that real clusters showed. */
export const CHANGES: Readonly<Record<string, Change>> = {
  'the leader is killed': async (control) => {
    const old = await leaderOf(control);
    await control.kill(old);
    return () => control.revive(old);
  },
  'the leader is shut down': async (control) => {
    const old = await leaderOf(control);
    await control.shutDown(old);
    return () => control.revive(old);
  },
  'the leader freezes': async (control) => {
    const old = await leaderOf(control);
    await control.freeze(old);
    return () => control.thaw(old);
  },
  'the leader resigns': async (control) => {
    await control.resign();
    return nothing;
  },
  'no leader is to be found': async (control) => {
    await control.noLeader(aWhile());
    return nothing;
  },
  'all nodes are killed': async (control) => {
    for (const index of NODES) await control.kill(index);
    await pause(aWhile());
    for (const index of NODES) await control.revive(index);
    return nothing;
  },
  'the leader dies of an append that it alone has': async (control) => {
    const old = await control.dieOfNext();
    return () => control.revive(old);
  },
};
