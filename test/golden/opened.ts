import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { EmbeddedLogReader } from '#adapters/embedded';
import { EventStoreDbLogReader } from '#adapters/eventstoredb';
import { readLedger, type LedgerLine } from '#adapters/sandbox-gateway';
import type { Recorded } from '#kernel';
import { eventsIn } from '../support/data-folder.js';
import { RunningDouble } from '../support/running-double.js';
import { newDataDir, RunningService } from '../support/running-service.js';
import { tempFolder } from '../support/temp-folder.js';
import { RunningSandbox } from '../support/running-sandbox.js';
import { readRecording, unpack, unpackDouble, unpackLedger, type Recording } from './recording.js';

/** The file of the sandbox gateway's ledger, in its folder. */
const LEDGER_FILE = 'sandbox-gateway.jsonl';

/** A copy of a golden folder, with its log, which this build opens at the recorded time. */
export class Opened {
  readonly dataDir = newDataDir();
  readonly recording: Recording;
  readonly #others = tempFolder();
  readonly #began = Date.now();
  #double: RunningDouble | undefined;
  /** The gateway, where it runs in a process of its own; its ledger is in a folder of its own, too. */
  #gateway: RunningSandbox | undefined;
  readonly #gatewayDir = tempFolder();
  #service: RunningService | undefined;

  constructor(golden: string) {
    this.recording = readRecording(golden);
    unpack(golden, this.dataDir);
    if (this.recording.log === 'eventstoredb') unpackDouble(golden, this.#doubleFile);
    if (this.recording.gateway === 'process') unpackLedger(golden, join(this.#gatewayDir.path, LEDGER_FILE));
  }

  get service(): RunningService {
    if (this.#service === undefined) throw new Error('the service does not run');
    return this.#service;
  }

  /** Starts this build on it. The clock of a later start has advanced by the time that has passed since. */
  async start(env: Readonly<Record<string, string>> = {}): Promise<RunningService> {
    const at = Date.parse(this.recording.at) + Date.now() - this.#began;
    this.#service = await RunningService.start({
      dataDir: this.dataDir,
      env: {
        ...{ PUBLIC_URL: this.recording.publicUrl, TEST_TIME: new Date(at).toISOString() },
        ...{ ARGON2_MEMORY: '64', ARGON2_TIME: '1', GATEWAY_TIMEOUT: '500' },
        ...(await this.#log()),
        ...(await this.#ownGateway()),
        ...(this.recording.accepts === undefined ? {} : { ACCEPT: this.recording.accepts }),
        ...env,
      },
    });
    return this.#service;
  }

  async stop(): Promise<void> {
    await this.#service?.stop();
    this.#service = undefined;
  }

  /** Removes the views, as if they had never been built; call it while the service is down. */
  loseViews(): void {
    rmSync(join(this.dataDir, 'views'), { recursive: true });
  }

  /** Every event of its log. */
  async events(): Promise<readonly Recorded[]> {
    return eventsIn(
      this.#double === undefined
        ? EmbeddedLogReader.open(join(this.dataDir, 'events.db'))
        : await EventStoreDbLogReader.open({ url: this.#double.url, prefix: this.#prefix }),
    );
  }

  /** What the gateway has done. */
  ledger(): readonly LedgerLine[] {
    const folder = this.recording.gateway === 'process' ? this.#gatewayDir.path : this.dataDir;
    return readLedger(join(folder, LEDGER_FILE));
  }

  async discard(): Promise<void> {
    await this.stop();
    await this.#double?.kill();
    await this.#gateway?.kill();
    this.#others.remove();
    this.#gatewayDir.remove();
    rmSync(this.dataDir, { recursive: true, force: true });
  }

  /** The environment that names the gateway, if it runs in a process of its own. */
  async #ownGateway(): Promise<Readonly<Record<string, string>>> {
    if (this.recording.gateway !== 'process') return {};
    this.#gateway ??= await RunningSandbox.start({ dataDir: this.#gatewayDir.path });
    return { SANDBOX_GATEWAY_URL: this.#gateway.url };
  }

  get #doubleFile(): string {
    return join(this.#others.path, 'eventstoredb.log');
  }

  get #prefix(): string {
    return this.recording.prefix ?? '';
  }

  /** Where the log is. */
  async #log(): Promise<Readonly<Record<string, string>>> {
    if (this.recording.log === 'embedded') return {};
    this.#double ??= await RunningDouble.start(`--file=${this.#doubleFile}`);
    return { EVENTSTORE_URL: this.#double.url, EVENTSTORE_PREFIX: this.#prefix };
  }
}
