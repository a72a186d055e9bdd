import { randomUUID } from 'node:crypto';
import featuresService from '@eventstore/db-client/generated/serverfeatures_grpc_pb.js';
import shared from '@eventstore/db-client/generated/shared_pb.js';
import {
  type AppendExpectedRevision,
  type AppendResult,
  EventStoreDBClient,
  jsonEvent,
  type Position,
} from '@eventstore/db-client';
import { credentials } from '@grpc/grpc-js';
import { afterAll, beforeAll, describe } from '@jest/globals';
import { EventStoreDbDouble } from './server.js';
import type { Version } from './options.js';

const real = process.env['EVENTSTORE_URL'];
/** For behaviour that a test cannot cause or see on a real server. */
export const onlyOnTheDouble = real === undefined ? describe : describe.skip;

/** What a test of EventStoreDB's behaviour needs, whichever server answers. */
export class ServerUnderTest {
  client!: EventStoreDBClient;
  /** undefined: a real server answers. */
  double: EventStoreDbDouble | undefined;
  url = '';

  async start(version: Version): Promise<void> {
    if (real === undefined) this.double = await EventStoreDbDouble.start({ version });
    this.url = real ?? this.double?.url ?? '';
    this.client = EventStoreDBClient.connectionString(this.url);
  }

  async stop(): Promise<void> {
    await this.client.dispose();
    this.double?.close();
  }

  /** For example 23.10.8. */
  async version(): Promise<string> {
    const asking = new featuresService.ServerFeaturesClient(new URL(this.url).host, credentials.createInsecure());
    return new Promise((resolve, reject) => {
      asking.getSupportedMethods(new shared.Empty(), (error, answer) => {
        asking.close();
        if (error === null) resolve(answer.getEventStoreServerVersion());
        else reject(error);
      });
    });
  }

  newStream(prefix = 'double'): string {
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

  /** Starts a scavenge, which runs in the background. */
  async scavenge(): Promise<void> {
    if (this.double !== undefined) await this.double.control.scavenge();
    else await fetch(`http://${new URL(this.url).host}/admin/scavenge`, { method: 'POST' });
  }
}

/** The same tests on the double of each version, or on the one real server of EVENTSTORE_URL. */
export function describeServers(what: string, questions: (server: ServerUnderTest) => void): void {
  const versions: readonly Version[] = real === undefined ? ['23.10', '24.10'] : ['23.10'];
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
