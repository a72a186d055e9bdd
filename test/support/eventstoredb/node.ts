import type { Metadata } from '@grpc/grpc-js';
import { notLeader, notReady } from './errors.js';
import type { Member } from './gossip.js';
import type { Entry } from './journal.js';
import type { DoubleOptions } from './options.js';
import type { Store } from './store.js';
import type { Writer } from './writer.js';

/** A server, alone or one of a cluster, as its calls see it. */
export interface Node {
  readonly host: string;
  readonly port: number;
  /** The port that others see. */
  readonly advertised: number;
  readonly options: DoubleOptions;
  /** What it shows to readers. */
  readonly store: Store;
  readonly appends: Writer;
  /** The node that takes writes, this one or another; undefined while there is none. */
  leader(): Node | undefined;
}

/** The same for those who control it. */
export interface ControlledNode extends Node {
  options: DoubleOptions;
  /** Replaces the whole log. */
  replace(entries: readonly Entry[]): void;
  /** Ends it as a kill does. */
  close(): void;
  /** Ends it as a request to stop does. */
  terminate(): void;
  listen(): Promise<void>;
}

/** What one node knows about the others. */
export interface Membership {
  leader(): Node | undefined;
  members(): readonly Member[];
}

/** The time by the node's own clock. */
export const clockOf = ({ options: { clock = 0 } }: Pick<Node, 'options'>): number => Date.now() + clock;

export const requiresLeader = (metadata: Metadata): boolean => metadata.get('requires-leader')[0] === 'true';

/** The error for a call that only the leader may answer; undefined at the leader. */
export function refusalOf(node: Node): Error | undefined {
  const leader = node.leader();
  if (leader === node) return undefined;
  return leader === undefined ? notReady() : notLeader(leader);
}
