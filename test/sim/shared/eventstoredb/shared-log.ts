import type { Logger } from 'pino';
import { EventStoreDbLog, EventStoreDbLogReader, existsOn, type Server } from '#adapters/eventstoredb';
import { type EventLogReader, findingOf, type KeyValueStore, type OwnedLog } from '#eventsourcing';
import { knownLog } from '#ownership';
import { categories, type Config, type Engines, type LogEvents, type ProjectorListener } from '#platform';
import type { Life } from '../../world/life.js';
import { EventStore } from './event-store.js';

type LogLocation = Engines['locations']['log'];

/** Describes the log that exists; undefined if there is none. */
export async function existing(
  server: Server,
  { eventStorePrefix: prefix }: Config,
  { machine }: Life,
): Promise<string | undefined> {
  const exists = await existsOn(server, { url: EventStore.url, prefix, categories, machine });
  return exists ? 'the server of EVENTSTORE_URL has an event log' : undefined;
}

/** Opens the log as the engine for EventStoreDB does. */
export async function openSharedLog(
  server: Server,
  config: Config,
  {
    keyValues,
    life: { machine },
    on,
    logger,
  }: { readonly keyValues: KeyValueStore; readonly life: Life; readonly on: LogEvents; readonly logger: Logger },
): Promise<{ readonly log: OwnedLog; readonly location: LogLocation }> {
  const { eventStorePrefix: prefix } = config;
  const log = await EventStoreDbLog.on(server, {
    url: EventStore.url,
    prefix,
    categories,
    ...(await knownLog(keyValues, config)),
    machine,
    onBroken: () => on.broken(),
    onFound: ({ kind, words, found, stream, at }) => on.found({ ...findingOf(kind, words, found, stream), at }),
    onError: (error) => logger.warn({ err: error }, 'a request to EventStoreDB has failed'),
    onNotice: (words) => logger.warn(words),
  });
  return { log, location: { engine: 'eventstoredb', url: '', prefix, identity: log.identity } };
}

/** Opens the log for a projector, as its thread does. */
export function followSharedLog(
  server: Server,
  location: LogLocation,
  { machine }: Life,
  on: ProjectorListener,
): Promise<EventLogReader> {
  if (location.engine !== 'eventstoredb') throw new Error('the log is at another engine');
  const { prefix, identity } = location;
  return EventStoreDbLogReader.on(server, {
    url: EventStore.url,
    prefix,
    categories,
    identity,
    machine,
    onBroken: () => on.doubt(),
    onFound({ kind, words, found, stream, at }) {
      on.found({ ...findingOf(kind, words, found, stream), at });
      return false;
    },
  });
}
