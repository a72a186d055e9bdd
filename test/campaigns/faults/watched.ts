import { resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from '@jest/globals';
import type { Recorded } from '#kernel';
import { startHoldfast } from '../../support/backups.js';
import { eventsOf } from '../../support/data-folder.js';
import { PROMETHEUS, Prometheus } from '../../support/prometheus.js';
import type { RunningService } from '../../support/running-service.js';
import { expectSoundLog } from '../../support/sound-log.js';
import { tempFolder } from '../../support/temp-folder.js';
import { size, tell } from '../size.js';
import type { Sellers } from './sellers.js';

/** Clients that sell meanwhile, and the least seconds that a fault lasts; `npm run campaign:faults` names more. */
export const CLIENTS = size('FAULTS', 4);
const SECONDS = size('FAULTS_SECONDS', 0);
/** In the campaign a rule must fire; in the small version it is enough that it will if the fault stays. */
const MUST_FIRE = SECONDS > 0;

if (PROMETHEUS === undefined)
  process.stderr.write('Prometheus or promtool is missing: the alerts of faults (G11.6) WERE NOT TRIED.\n');

/** Milliseconds until the service has finished what a fault cut off. */
const FINISHED_WITHIN = 15 * 60_000;

/** Sales that are decided, but whose purchase is not written yet. */
function unfinishedSales(events: readonly Recorded[]): number {
  const count = (type: string): number => events.filter((event) => event.type === type).length;
  return count('hold-claimed.v1') - count('purchase-recorded.v1');
}

/** What goes wrong, and who says so. */
export interface Fault {
  readonly what: string;
  readonly begin: () => Promise<void> | void;
  readonly end: () => Promise<void> | void;
  /** The alert that calls somebody. */
  readonly alert: string;
  /** The check of the doctor that names it, and its words. */
  readonly check: string;
  readonly says: RegExp;
  /** Whether Holdfast sells on meanwhile. */
  readonly sells: boolean;
}

/** What happened during a fault. */
export interface Endured {
  /** Sales while it lasted. */
  readonly meanwhile: number;
  /** Milliseconds from its end to the next sale. */
  readonly until: number;
}

/** A service under load whose alerts a Prometheus watches, and of which the doctor is asked. */
export class Watched {
  readonly #folder: ReturnType<typeof tempFolder>;
  readonly #pids: readonly (number | undefined)[];

  private constructor(
    private readonly service: RunningService,
    private readonly sellers: Sellers,
    private readonly prometheus: Prometheus | undefined,
    folder: ReturnType<typeof tempFolder>,
    private readonly environment: Readonly<Record<string, string>>,
  ) {
    this.#folder = folder;
    this.#pids = this.#processes.map(({ child }) => child.pid);
  }

  /** @param environment what the doctor gets, beside the folder and the address of the service */
  static async begin(
    service: RunningService,
    sellers: Sellers,
    environment: Readonly<Record<string, string>> = {},
  ): Promise<Watched> {
    const folder = tempFolder();
    const rules = resolve('deploy/prometheus/rules.yml');
    const prometheus =
      PROMETHEUS === undefined
        ? undefined
        : await Prometheus.start(folder.path, service.urls, service.auditorToken, rules);
    const doctors = { DATA_DIR: service.dataDir, HOLDFAST_URL: service.url, ...environment };
    return new Watched(service, sellers, prometheus, folder, doctors);
  }

  /** Lets a fault happen under load, until its alert and the doctor have named it, and it has lasted; and waits for the next sale. */
  async endure(fault: Fault): Promise<Endured> {
    await this.sellers.sell(CLIENTS);
    const began = performance.now();
    await fault.begin();
    const before = this.sellers.sold.size;
    const state = await this.#alerted(fault.alert);
    const line = await this.#named(fault);
    await pause(Math.max(0, SECONDS * 1_000 - (performance.now() - began)));
    if (fault.sells) await this.sellers.sell(CLIENTS);
    const meanwhile = this.sellers.sold.size - before;
    const lasted = performance.now() - began;
    await fault.end();
    const until = await this.sellers.sell(1);
    expect(this.#processes.map(({ running, child }) => [running, child.pid])).toEqual(
      this.#pids.map((pid) => [true, pid]),
    );
    tell(
      'FAULTS',
      `${fault.what}: for ${seconds(lasted)} under ${CLIENTS} clients; ${meanwhile} sales meanwhile, the next one after ` +
        `${seconds(until)}; ${fault.alert} ${state}; doctor: ${line}`,
    );
    return { meanwhile, until };
  }

  /**
   * Ends the load. No sale that was acknowledged may be missing, and the log must be sound, once the service has written what a
   * fault cut off: it finds that in a view, which follows slowly on a stand-in.
   */
  async everySaleIsKept(): Promise<void> {
    await this.sellers.end();
    let events = await eventsOf(this.service.dataDir);
    const until = Date.now() + FINISHED_WITHIN;
    const cutOff = unfinishedSales(events);
    while (unfinishedSales(events) > 0 && Date.now() < until) {
      await pause(5_000);
      events = await eventsOf(this.service.dataDir);
    }
    expectSoundLog(events);
    const recorded = new Set(
      events
        .filter(({ type }) => type === 'purchase-recorded.v1')
        .map(({ data }) => (data as { readonly purchase_id: string }).purchase_id),
    );
    expect([...this.sellers.sold].filter((id) => !recorded.has(id))).toEqual([]);
    tell(
      'FAULTS',
      `${this.sellers.sold.size} sales acknowledged, all in the log; ${cutOff} sales that were cut off, finished since; else ${JSON.stringify(Object.fromEntries(this.sellers.refused))}`,
    );
  }

  async end(): Promise<void> {
    await this.sellers.end();
    await this.prometheus?.stop();
    this.#folder.remove();
  }

  get #processes() {
    const { apis, workers } = this.service.processes;
    return [...apis, ...workers];
  }

  /** Waits until the rule fires. @returns its state */
  async #alerted(name: string): Promise<string> {
    if (this.prometheus === undefined) return 'not tried';
    for (;;) {
      const state = (await this.prometheus.alerts().catch(() => undefined))?.get(name);
      if (state === 'firing' || (state === 'pending' && !MUST_FIRE)) return state;
      await pause(200);
    }
  }

  /** Waits until the doctor names it, in a process of its own, as an operator would run it. @returns its line */
  async #named({ check, says }: Fault): Promise<string> {
    for (;;) {
      const { out } = await startHoldfast(['doctor', '--json'], this.environment).ended;
      const { checks } = JSON.parse(out) as { readonly checks: readonly Readonly<Record<string, string>>[] };
      const found = checks.find((each) => each['check'] === check && each['verdict'] !== 'ok');
      const { verdict = '', facts = '' } = found ?? {};
      if (says.test(facts)) return `${verdict} ${check}: ${facts}`;
    }
  }
}

const seconds = (milliseconds: number): string => `${(milliseconds / 1_000).toFixed(1)} s`;
