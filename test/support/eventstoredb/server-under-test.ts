import { randomUUID } from 'node:crypto';
import {
  type AppendExpectedRevision,
  type AppendResult,
  BACKWARDS,
  END,
  ErrorType,
  EventStoreDBClient,
  FORWARDS,
  jsonEvent,
  type Position,
} from '@eventstore/db-client';
import { afterAll, beforeAll, describe, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import { setTimeout as pause } from 'node:timers/promises';
import { parseConnectionString } from '@eventstore/db-client/dist/Client/parseConnectionString.js';
import type { ServerFeatures } from '@eventstore/db-client/dist/Client/ServerFeatures.js';
import { answeringOnce } from './answering-once.js';
import { EventStoreDbDouble } from './server.js';
import type { Version } from './options.js';

const real = process.env['EVENTSTORE_URL'];
/** For behaviour that a test cannot cause or see on a real server. */
export const onlyOnTheDouble: typeof describe.skip = real === undefined ? describe : describe.skip;
/** The same for single tests: those that nobody else's write may disturb. */
export const itOnTheDouble: typeof it.skip = real === undefined ? it : it.skip;
/** For tests that put something between server and caller, which takes one node without TLS. */
export const describeWithoutTls = real === undefined || isOnePlainNode(real) ? describeServers : skipped;
/** How many events of everybody's are read at a time while looking for a test's own. */
const PAGE = 1_000;
/** How many of these are read at most. */
const PAGES = 50;
/** Milliseconds between two looks for what will come. */
const LOOK_EVERY = 50;

/** What a test of EventStoreDB's behaviour needs, whichever server answers. */
export class ServerUnderTest {
  client!: EventStoreDBClient;
  /** undefined: a real server answers. */
  double: EventStoreDbDouble | undefined;
  url = '';
  /** Begins the names of this test's streams: other tests, and others, use the same server. */
  readonly prefix = `double${randomUUID().slice(0, 8)}`;

  async start(version: Version): Promise<void> {
    if (real === undefined) this.double = await EventStoreDbDouble.start({ version });
    this.url = real ?? this.double?.url ?? '';
    this.client = answeringOnce(EventStoreDBClient.connectionString(forTheClient(this.url)));
  }

  async stop(): Promise<void> {
    await this.client.dispose();
    this.double?.close();
  }

  /** For example 23.10.8. */
  async version(): Promise<string> {
    // The client asks for it before its first append.
    const { serverVersion } = await (this.client as unknown as { capabilities: Promise<ServerFeatures> }).capabilities;
    return serverVersion;
  }

  /** The version’s first number. */
  async generation(): Promise<number> {
    return Number.parseInt(await this.version(), 10);
  }

  newStream(prefix = this.prefix): string {
    return `${prefix}-${randomUUID()}`;
  }

  append(
    stream: string,
    expectedRevision: AppendExpectedRevision,
    ids: readonly (string | undefined)[],
    data: object = {},
  ): Promise<AppendResult> {
    return this.client.appendToStream(
      stream,
      ids.map((id = randomUUID()) => jsonEvent({ id, type: 'happened', data: { ...data } })),
      { expectedRevision },
    );
  }

  /** Writes one event. @returns its position */
  async written(stream = this.newStream(), id: string = randomUUID()): Promise<Position> {
    const { position } = await this.append(stream, 'any', [id]);
    if (position === undefined) throw new Error('the server named no position');
    return position;
  }

  async idsOf(stream: string): Promise<(string | undefined)[]> {
    const ids: (string | undefined)[] = [];
    for await (const { event } of this.client.readStream(stream)) ids.push(event?.id);
    return ids;
  }

  async revisionsOf(stream: string, options: Parameters<EventStoreDBClient['readStream']>[1] = {}): Promise<number[]> {
    const revisions: number[] = [];
    for await (const { event } of this.client.readStream(stream, options)) revisions.push(Number(event?.revision));
    return revisions;
  }

  async readAll(options: Parameters<EventStoreDBClient['readAll']>[0]): Promise<(string | undefined)[]> {
    const ids: (string | undefined)[] = [];
    for await (const { event } of this.client.readAll(options)) ids.push(event?.id);
    return ids;
  }

  /**
   * Whether all of these events are in `$all`, looking from a position on, or backwards from the end. Others may have written
   * between them.
   */
  async hasInAll(ids: readonly (string | undefined)[], from?: Position): Promise<boolean> {
    const missing = new Set(ids);
    let place: Position | typeof END = from ?? END;
    for (let pages = 0; pages < PAGES && missing.size > 0; pages += 1) {
      let last: Position | undefined;
      const direction = from === undefined ? BACKWARDS : FORWARDS;
      for await (const { event } of this.client.readAll({ fromPosition: place, direction, maxCount: PAGE })) {
        if (event === undefined) continue;
        missing.delete(event.id);
        last = event.position;
      }
      if (last === undefined || (place !== END && last.commit === place.commit)) break;
      place = last;
    }
    return missing.size === 0;
  }

  /** Reads a stream until it has these revisions: what was just written may show a moment later. */
  async untilRevisions(
    stream: string,
    revisions: readonly number[],
    options: Parameters<EventStoreDBClient['readStream']>[1] = {},
  ): Promise<void> {
    for (;;) {
      const found = await this.revisionsOf(stream, options).catch((error: unknown) => {
        if ((error as { type?: unknown }).type === ErrorType.STREAM_NOT_FOUND) return [];
        throw error;
      });
      if (JSON.stringify(found) === JSON.stringify(revisions)) return;
      if (found.length > 0) throw new Error(`${stream} has the revisions ${found.join(', ')}`);
      await pause(LOOK_EVERY);
    }
  }

  /** Starts a scavenge, which runs in the background. */
  async scavenge(): Promise<void> {
    if (this.double !== undefined) return this.double.control.scavenge();
    const { tls, tlsCAFile, hosts, defaultCredentials } = parseConnectionString(forTheClient(this.url));
    const { username, password } = defaultCredentials ?? { username: 'admin', password: 'changeit' };
    const [{ address: host, port } = { address: '', port: 0 }] = hosts;
    const options = { method: 'POST', path: '/admin/scavenge', host, port, auth: `${username}:${password}` };
    const status = await new Promise<number | undefined>((resolve, reject) => {
      const asked =
        tls === false
          ? http.request(options)
          : https.request({ ...options, ...(tlsCAFile !== undefined && { ca: readFileSync(tlsCAFile) }) });
      asked
        .on('response', (answer) => answer.resume().on('end', () => resolve(answer.statusCode)))
        .on('error', reject)
        .end();
    });
    assertScavenges(status);
  }
}

/** The official client knows one of the names only. */
function forTheClient(url: string): string {
  return url.replace(/^(kurrentdb|kdb|kurrent)\b/, 'esdb');
}

function assertScavenges(status: number | undefined): void {
  if (status === undefined || status >= 300)
    throw new Error(
      `the server does not scavenge (${status}): the user of EVENTSTORE_URL needs the group $ops or $admins`,
    );
}

function isOnePlainNode(url: string): boolean {
  const { tls, hosts } = parseConnectionString(forTheClient(url));
  return tls === false && hosts.length === 1;
}

function skipped(what: string, questions: (server: ServerUnderTest) => void): void {
  describe.skip(`${what}, on one node without TLS`, () => questions(new ServerUnderTest()));
}

/** The same tests on the double of each version, or on the one real server of EVENTSTORE_URL. */
export function describeServers(what: string, questions: (server: ServerUnderTest) => void): void {
  const versions: readonly Version[] = real === undefined ? ['23.10', '24.10', '26.1'] : ['23.10'];
  for (const version of versions) {
    const shown = real === undefined ? `the double of ${version}` : 'EVENTSTORE_URL';
    describe(`${what}, on ${shown}`, () => {
      const server = new ServerUnderTest();
      beforeAll(() => server.start(version));
      afterAll(() => server.stop());
      questions(server);
    });
  }
}
