import { copyFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { EventStoreDBClient } from '@eventstore/db-client';
import { afterAll, afterEach, beforeEach, expect } from '@jest/globals';
import type { DoubleControl } from './eventstoredb/control.js';
import { keepingTheLog } from './log-kept.js';
import { RunningDouble } from './running-double.js';
import {
  type Answer,
  discardLeftovers,
  newDataDir,
  RunningService,
  type Json,
  type TestPartner,
} from './running-service.js';
import { tempFolder } from './temp-folder.js';

/** Milliseconds between two looks for something, and their largest number. */
const LOOK_EVERY = 100;
const LOOKS = 2_400;

/** EventStoreDB's double on a file of its own, which tests stop, change and start again at its address. */
export class OwnServer {
  readonly #folder = tempFolder();
  #double: RunningDouble | undefined;

  get url(): string {
    return this.#running.url;
  }

  /** What an administrator or another application does to it. */
  get control(): DoubleControl {
    return this.#running.control;
  }

  /** Starts it empty. */
  async begin(): Promise<void> {
    rmSync(this.#file, { force: true });
    this.#double = await RunningDouble.start('--port=0', `--file=${this.#file}`);
  }

  /** Stops it, and starts it again at its address with its present data. */
  async restart(between: () => Promise<void> | void = () => undefined): Promise<void> {
    const port = new URL(this.url.replace('esdb', 'http')).port;
    await this.end();
    await between();
    this.#double = await RunningDouble.start(`--port=${port}`, `--file=${this.#file}`);
  }

  /** Keeps a copy of its data, under a name. */
  keep(name: string): void {
    copyFileSync(this.#file, this.#copy(name));
  }

  /** Stops it, and starts it with a kept copy; undefined: empty. Its process stays, because only callers count here. */
  async putBack(name: string | undefined): Promise<void> {
    await this.control.stop();
    await (name === undefined ? this.control.truncateTo(0) : this.control.replaceBy(this.#copy(name)));
    await this.control.start();
  }

  /** The names with this part of all streams that were written to, metadata streams included. */
  async streamsNamed(part: string): Promise<readonly string[]> {
    const client = EventStoreDBClient.connectionString(this.url);
    try {
      const names = new Set<string>();
      for await (const { event } of client.readAll()) if (event !== undefined) names.add(event.streamId);
      return [...names].filter((name) => name.includes(part));
    } finally {
      await client.dispose();
    }
  }

  /** How often the metadata of a stream was written. */
  async metadataWrites(stream: string): Promise<number> {
    const client = EventStoreDBClient.connectionString(this.url);
    try {
      const { metastreamRevision = -1n } = await client.getStreamMetadata(stream);
      return Number(metastreamRevision) + 1;
    } finally {
      await client.dispose();
    }
  }

  async end(): Promise<void> {
    await this.#double?.kill();
  }

  /** Removes its data. */
  remove(): void {
    this.#folder.remove();
  }

  get #running(): RunningDouble {
    if (this.#double === undefined) throw new Error('the server was not started');
    return this.#double;
  }

  get #file(): string {
    return join(this.#folder.path, 'server');
  }

  #copy(name: string): string {
    return join(this.#folder.path, `copy of ${name}`);
  }
}

/** Whole services on a server of their own, both new for each test. */
export class ServicesOnServer {
  readonly server = new OwnServer();
  #dataDir = '';
  readonly #services: RunningService[] = [];

  /** For use in a `describe`: creates the server before each test, and ends everything after it. */
  static forEachTest(): ServicesOnServer {
    const services = new ServicesOnServer();
    beforeEach(async () => {
      await services.server.begin();
      services.#dataDir = newDataDir();
    });
    afterEach(async () => {
      for (const service of services.#services.splice(0)) await service.stop();
      await services.server.end();
    });
    afterAll(async () => {
      await discardLeftovers();
      services.server.remove();
    });
    return services;
  }

  /** The data folder of this test. */
  get dataDir(): string {
    return this.#dataDir;
  }

  /** Starts a service, and waits until it listens. */
  async start(env: Readonly<Record<string, string>> = {}, dataDir = this.dataDir): Promise<RunningService> {
    const options = { EVENTSTORE_URL: this.server.url, LOG_LEVEL: 'warn', ...env };
    const service = await RunningService.start({ dataDir, env: options, unready: true });
    this.#services.push(service);
    return service;
  }

  /** Starts a service, and waits until it is ready. */
  async ready(env: Readonly<Record<string, string>> = {}, dataDir = this.dataDir): Promise<RunningService> {
    const service = await this.start(env, dataDir);
    await service.ready();
    return service;
  }

  /** Starts a service that accepts these codes. The log keeps everything in its place. */
  async accepting(codes: string, dataDir = this.dataDir): Promise<RunningService> {
    return keepingTheLog(
      () => this.server.control.events(),
      () => this.ready({ ACCEPT: codes }, dataDir),
    );
  }

  /** The same; then starts it without the codes. */
  async accepted(codes: string, dataDir = this.dataDir): Promise<RunningService> {
    await (await this.accepting(codes, dataDir)).stop();
    return this.ready({}, dataDir);
  }
}

/** A deal with 10 units, and a partner that sells them. */
export async function openShop(service: RunningService): Promise<TestPartner> {
  await service.newDeal('tram', { stock: 10 });
  return service.newPartner('acme');
}

/** Reserves units of the shop's deal. @returns the status */
export async function reserve(service: RunningService, { key }: TestPartner, units = 1, at?: string): Promise<number> {
  const where = at === undefined ? {} : { at };
  const path = `/purchases/reserve?deal_id=tram&num_bought=${units}`;
  return (await service.ask('POST', path, { key, ...where })).status;
}

/** The units of the shop's deal that are left, by the views. */
export async function left(service: RunningService, { key }: TestPartner): Promise<number> {
  return (await service.look('/deals/tram?region=testland', key)).body.deal?.num_left;
}

/** Asks for health until it is as wanted; also while the process starts again. */
export async function healthOnce(
  service: RunningService,
  wanted: (health: Json) => boolean,
  at = service.url,
): Promise<Json> {
  let last: Answer | undefined;
  for (let looks = 0; looks < LOOKS; looks += 1) {
    last = await service.health({ at }).catch(() => undefined);
    if (last !== undefined && wanted(last.body)) return { ...last.body, http: last.status };
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY));
  }
  throw new Error(`health did not come to be as it should: ${last?.text ?? 'no answer'}`);
}

/** Waits until a service, or one of its processes, refuses the whole log. @returns its finding */
export async function refusal(service: RunningService, at = service.url): Promise<Json> {
  const { http, findings } = await healthOnce(service, ({ log }) => log?.state === 'refused', at);
  expect(http).toBe(503);
  expect(findings).toHaveLength(1);
  return findings[0];
}
