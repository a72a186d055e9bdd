import type { Append } from './event-log.js';

/**
 * Who writes a list of appends, so that writers can take turns (ruling I16): a partner with all of its keys and tokens, an operator, or
 * one kind of the service's own work. Writers of one name up to its first slash count as one.
 */
export function writerOf([{ events }]: readonly [Append, ...Append[]]): string {
  const actor = events[0]?.metadata.actor ?? '';
  const end = actor.indexOf('/');
  return end === -1 ? actor : actor.slice(0, end);
}
