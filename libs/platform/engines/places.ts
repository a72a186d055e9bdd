import { EmbeddedLogReader, EmbeddedViewStore } from '#adapters/embedded/projector';
import type { EventLogReader, ViewStore } from '#eventsourcing/ports';
import { findingOf, type Finding } from '#eventsourcing/projections';
import { categories } from '../registry.js';

/** What a thread needs to open the log itself, by engine: plain data. */
interface LogPlaces {
  readonly embedded: { readonly file: string };
  readonly eventstoredb: { readonly url: string; readonly prefix: string; readonly identity: string };
}

/** What a thread needs to open the views, by engine. */
interface ViewsPlaces {
  readonly embedded: { readonly folder: string };
  readonly mongodb: { readonly url: string };
}

export type LogEngineName = keyof LogPlaces;
export type ViewsEngineName = keyof ViewsPlaces;

/** An engine and its place. */
type Place<Places> = { [Name in keyof Places]: { readonly engine: Name } & Places[Name] }[keyof Places];
export type LogPlace = Place<LogPlaces>;
export type ViewsPlace = Place<ViewsPlaces>;

/** A log to follow. `notify` tells it that something was appended. */
export interface FollowedLog {
  readonly log: EventLogReader;
  notify(): void;
}

/** What a followed log reports. */
export interface FollowEvents {
  /** The log could not be followed for a moment. */
  readonly broken: () => void;
  /** Somebody cut a stream or wrote into it. */
  readonly found: (finding: Finding) => void;
}

/** The views to write, and a function that closes their engine. */
export interface OpenedViews {
  readonly store: ViewStore;
  close(): Promise<void>;
}

/** How a thread opens each engine. It loads only the library of the one that it opens. */
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
    // The server itself notifies its followers.
    return { log, notify: () => undefined };
  },
};

/** Takes what operators should know of the views' files. */
type Notice = (text: string) => void;

const VIEWS: { readonly [Name in ViewsEngineName]: (at: ViewsPlaces[Name], notice: Notice) => Promise<OpenedViews> } = {
  embedded: ({ folder }, notice) =>
    Promise.resolve({ store: EmbeddedViewStore.open(folder, notice), close: () => Promise.resolve() }),
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
  notice: Notice,
): Promise<OpenedViews> {
  return VIEWS[place.engine](place, notice);
}
