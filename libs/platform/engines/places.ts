import { EmbeddedLogReader, EmbeddedViewStore } from '#adapters/embedded/projector';
import type { EventLogReader, ViewStore } from '#eventsourcing/ports';
import { findingOf, type Finding } from '#eventsourcing/projections';
import { categories } from '../registry.js';

/** What each engine of the log tells a thread, which opens the log itself: plain data. */
interface LogPlaces {
  readonly embedded: { readonly file: string };
  readonly eventstoredb: { readonly url: string; readonly prefix: string; readonly identity: string };
}

/** What each engine of the views tells a thread. */
interface ViewsPlaces {
  readonly embedded: { readonly folder: string };
  readonly mongodb: { readonly url: string };
}

export type LogEngineName = keyof LogPlaces;
export type ViewsEngineName = keyof ViewsPlaces;

/** Which engine it is, and where. */
type Place<Places> = { [Name in keyof Places]: { readonly engine: Name } & Places[Name] }[keyof Places];
export type LogPlace = Place<LogPlaces>;
export type ViewsPlace = Place<ViewsPlaces>;

/** A log to be followed, which may be told that something was appended. */
export interface FollowedLog {
  readonly log: EventLogReader;
  notify(): void;
}

/** Who is told of a log that is followed. */
export interface FollowEvents {
  /** It could not be followed for a moment. */
  readonly broken: () => void;
  /** One of its streams was cut, or others wrote into it. */
  readonly found: (finding: Finding) => void;
}

/** The views to be written, and how to end what they stand on. */
export interface OpenedViews {
  readonly store: ViewStore;
  close(): Promise<void>;
}

/** How each engine is opened by a thread, which loads the library of the one that it is told of alone. */
const LOGS: { readonly [Name in LogEngineName]: (at: LogPlaces[Name], on: FollowEvents) => Promise<FollowedLog> } = {
  embedded({ file }) {
    const log = EmbeddedLogReader.open(file);
    return Promise.resolve({ log, notify: () => log.notify() });
  },
  async eventstoredb({ url, prefix, identity }, on) {
    const { EventStoreDbLogReader } = await import('#adapters/eventstoredb');
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
    // A server tells its followers by itself.
    return { log, notify: () => undefined };
  },
};

const VIEWS: { readonly [Name in ViewsEngineName]: (at: ViewsPlaces[Name]) => Promise<OpenedViews> } = {
  embedded: ({ folder }) => Promise.resolve({ store: EmbeddedViewStore.open(folder), close: () => Promise.resolve() }),
  async mongodb({ url }) {
    const { MongoDb, MongoDbViewStore } = await import('#adapters/mongodb');
    const mongo = await MongoDb.connect(url);
    return { store: new MongoDbViewStore(mongo), close: () => mongo.close() };
  },
};

export function openFollowedLog<Name extends LogEngineName>(
  place: { readonly engine: Name } & LogPlaces[Name],
  on: FollowEvents,
): Promise<FollowedLog> {
  return LOGS[place.engine](place, on);
}

export function openViews<Name extends ViewsEngineName>(
  place: { readonly engine: Name } & ViewsPlaces[Name],
): Promise<OpenedViews> {
  return VIEWS[place.engine](place);
}
