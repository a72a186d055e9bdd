import type { ServerUrls } from '../config.js';
import { hostsOf } from '../log/log-waits.js';

/** The server of an engine. */
export interface Server {
  /** The product's name. */
  readonly name: string;
  readonly url: string;
}

/** What every engine says about itself; `Urls` are the settings of its kind. */
export interface NamedEngine<Urls = ServerUrls> {
  /** Whether its files are in the data folder. */
  readonly inFolder: boolean;
  /** Its server in the configuration, if there is one. */
  server(urls: Urls): Server | undefined;
}

/**
 * The engine whose server is in the configuration, otherwise the embedded one.
 * @throws Error for people to read if the configuration names two
 */
export function engineNamedBy<Urls, Engine extends NamedEngine<Urls>>(
  urls: Urls,
  engines: Readonly<Record<string, Engine>> & { readonly embedded: Engine },
): Engine {
  const named = Object.values(engines).filter((engine) => engine.server(urls) !== undefined);
  const [engine = engines.embedded, another] = named;
  if (another === undefined) return engine;
  const servers = named.map((each) => whereIs(each, urls)).join(' and ');
  throw new Error(
    `Invalid environment: it names ${servers}, of which a process uses one. Leave out the settings of the others.`,
  );
}

/** The place of an engine, for people to read: without credentials. */
export function whereIs<Urls>(engine: NamedEngine<Urls>, urls: Urls): string {
  const server = engine.server(urls);
  if (server === undefined) return engine.inFolder ? 'the data folder' : 'this process';
  return `${server.name} at ${hostsOf(server.url)}`;
}

/** @throws Error if the configuration names no server for this engine */
export function urlOf<Urls>(engine: NamedEngine<Urls>, urls: Urls): string {
  const server = engine.server(urls);
  if (server === undefined) throw new Error('the configuration names no server for this engine');
  return server.url;
}
