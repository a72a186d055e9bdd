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
  /** The port that others are told of. */
  readonly advertised: number;
  readonly options: DoubleOptions;
  /** What it shows to those who read. */
  readonly store: Store;
  readonly appends: Writer;
  /** Who takes writes, this one or another; undefined while there is none. */
  leader(): Node | undefined;
}

/** The same to those who tell it what to do. */
export interface ControlledNode extends Node {
  options: DoubleOptions;
  /** All of the past. */
  replace(entries: readonly Entry[]): void;
  /** As it is killed. */
  close(): void;
  /** As it is told to stop. */
  terminate(): void;
  listen(): Promise<void>;
}

/** What one node knows of the others. */
export interface Membership {
  leader(): Node | undefined;
  members(): readonly Member[];
}

export const requiresLeader = (metadata: Metadata): boolean => metadata.get('requires-leader')[0] === 'true';

/** The error that a call meets which only the leader may answer; undefined at the leader. */
export function refusalOf(node: Node): Error | undefined {
  const leader = node.leader();
  if (leader === node) return undefined;
  return leader === undefined ? notReady() : notLeader(leader);
}
