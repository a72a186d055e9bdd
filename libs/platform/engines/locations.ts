import { join } from 'node:path';
import { EmbeddedLogReader, EmbeddedViewStore } from '#adapters/embedded/projector';
import type {
  EventLogReader,
  RecordPlace,
  SearchedLog,
  SnapshotStore,
  ViewReaders,
  ViewStore,
} from '#eventsourcing/ports';
import { findingOf, type Finding } from '#eventsourcing/projections';
import { categories } from '../registry.js';

/** What a thread needs to open the log itself, by engine: plain data. */
interface LogLocations {
  readonly embedded: { readonly file: string };
  readonly eventstoredb: {
    readonly url: string;
    readonly prefix: string;
    readonly identity: string;
    /** How far the log was searched. */
    readonly searched?: SearchedLog | undefined;
    readonly place?: RecordPlace | undefined;
  };
}

/** What a thread needs to open the views, by engine. */
interface ViewsLocations {
  readonly embedded: { readonly folder: string };
  readonly mongodb: { readonly url: string };
}

export type LogEngineName = keyof LogLocations;
export type ViewsEngineName = keyof ViewsLocations;

/** An engine and its location. */
type Location<Locations> = { [Name in keyof Locations]: { readonly engine: Name } & Locations[Name] }[keyof Locations];
export type LogLocation = Location<LogLocations>;
export type ViewsLocation = Location<ViewsLocations>;

/** A log to follow. `notify` is called when something was appended. */
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
  /** Words for operators about the log's server. */
  readonly notice: (words: string) => void;
}

/** The views to write, and a function that closes their engine. */
export interface OpenedViews {
  readonly store: ViewStore;
  close(): Promise<void>;
}

/** The views and snapshots to read, and a function that closes their engine. */
export interface ReadViews {
  readonly views: ViewReaders;
  readonly snapshots: SnapshotStore;
  close(): Promise<void>;
}

/** How a thread opens each engine. It loads only the library of the one that it opens. */
const LOGS: { readonly [Name in LogEngineName]: (at: LogLocations[Name], on: FollowEvents) => Promise<FollowedLog> } = {
  embedded({ file }) {
    const log = EmbeddedLogReader.open(file);
    return Promise.resolve({ log, notify: () => log.notify() });
  },
  async eventstoredb({ url, prefix, identity, searched, place }, on) {
    const { EventStoreDbLogReader } = await import('#adapters/eventstoredb');
    const log = await EventStoreDbLogReader.open({
      url,
      prefix,
      categories,
      identity,
      searched,
      place,
      onBroken: () => on.broken(),
      onFound({ kind, words, found, stream, at }) {
        on.found({ ...findingOf(kind, words, found, stream), at });
        return false;
      },
      onNotice: (words) => on.notice(words),
    });
    // The server itself notifies its followers.
    return { log, notify: () => undefined };
  },
};

/** Takes what operators should know of the views' files. */
type Notice = (text: string) => void;

const VIEWS: {
  readonly [Name in ViewsEngineName]: (at: ViewsLocations[Name], notice: Notice) => Promise<OpenedViews>;
} = {
  embedded: ({ folder }, notice) =>
    Promise.resolve({ store: EmbeddedViewStore.open(folder, notice), close: () => Promise.resolve() }),
  async mongodb({ url }) {
    const { MongoDb, MongoDbViewStore } = await import('#adapters/mongodb');
    const mongo = await MongoDb.connect(url);
    return { store: new MongoDbViewStore(mongo), close: () => mongo.close() };
  },
};

export function openFollowedLog<Name extends LogEngineName>(
  location: { readonly engine: Name } & LogLocations[Name],
  on: FollowEvents,
): Promise<FollowedLog> {
  return LOGS[location.engine](location, on);
}

export function openViews<Name extends ViewsEngineName>(
  location: { readonly engine: Name } & ViewsLocations[Name],
  notice: Notice,
): Promise<OpenedViews> {
  return VIEWS[location.engine](location, notice);
}

const READ_VIEWS: { readonly [Name in ViewsEngineName]: (at: ViewsLocations[Name]) => Promise<ReadViews> } = {
  async embedded({ folder }) {
    const { EmbeddedSnapshotStore, EmbeddedViewReaders } = await import('#adapters/embedded/audit');
    const views = EmbeddedViewReaders.open(folder);
    return { views, snapshots: new EmbeddedSnapshotStore(join(folder, 'snapshots')), close: () => views.close() };
  },
  async mongodb({ url }) {
    const { MongoDb, MongoDbSnapshotStore, MongoDbViewReaders } = await import('#adapters/mongodb');
    const mongo = await MongoDb.connect(url);
    const views = new MongoDbViewReaders(mongo);
    return {
      views,
      snapshots: new MongoDbSnapshotStore(mongo),
      async close() {
        await views.close();
        await mongo.close();
      },
    };
  },
};

/** Opens views and snapshots to read them. */
export function openReadViews<Name extends ViewsEngineName>(
  location: { readonly engine: Name } & ViewsLocations[Name],
): Promise<ReadViews> {
  return READ_VIEWS[location.engine](location);
}
