import { EmbeddedLogReader, EmbeddedViewStore } from '#adapters/embedded/projector';
import type { EventLogReader, ViewStore } from '#eventsourcing/ports';
import { findingOf, type Finding } from '#eventsourcing/projections';
import { categories } from '../registry.js';

/** Where a thread finds the log: plain data, for it opens the log itself. */
export type LogPlace =
  | { readonly engine: 'embedded'; readonly file: string }
  | { readonly engine: 'eventstoredb'; readonly url: string; readonly prefix: string; readonly identity: string };

/** Where a thread finds the views. */
export type ViewsPlace =
  { readonly engine: 'embedded'; readonly folder: string } | { readonly engine: 'mongodb'; readonly url: string };

/** A log to be followed, which may be told that something was appended. */
export interface FollowedLog {
  readonly log: EventLogReader;
  notify(): void;
}

export async function openFollowedLog(
  place: LogPlace,
  on: {
    /** It could not be followed for a moment. */
    readonly broken: () => void;
    /** One of its streams was cut, or others wrote into it. */
    readonly found: (finding: Finding) => void;
  },
): Promise<FollowedLog> {
  if (place.engine === 'embedded') {
    const log = EmbeddedLogReader.open(place.file);
    return { log, notify: () => log.notify() };
  }
  const { EventStoreDbLogReader } = await import('#adapters/eventstoredb');
  // A server tells its followers by itself.
  const { url, prefix, identity } = place;
  const log = await EventStoreDbLogReader.open({
    url,
    prefix,
    categories,
    identity,
    onBroken: () => on.broken(),
    onFound({ words, found, stream, at }) {
      on.found({ ...findingOf(words, found, stream), at });
      return false;
    },
  });
  return { log, notify: () => undefined };
}

/** The views to be written, and how to end what they stand on. */
export async function openViews(place: ViewsPlace): Promise<{ store: ViewStore; close(): Promise<void> }> {
  if (place.engine === 'embedded') {
    return { store: EmbeddedViewStore.open(place.folder), close: () => Promise.resolve() };
  }
  const { MongoDb, MongoDbViewStore } = await import('#adapters/mongodb');
  const mongo = await MongoDb.connect(place.url);
  return { store: new MongoDbViewStore(mongo), close: () => mongo.close() };
}
