import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { inspectState } from '#adapters/embedded';
import { thisMachine } from '#adapters/machine';
import { type Keyring, KEYS_ENTRY, loadMasterKey, unwrapKeys } from '#eventsourcing';
import type { Recorded } from '#kernel';
import { traceOf, tracing } from '../../campaigns/power/strace.js';
import { eventsOf } from '../../support/data-folder.js';
import { newDataDir, RunningService } from '../../support/running-service.js';
import { rowOf, stateRowsOf, type StateRows } from './facts.js';
import { CHANGING, Interpreter, LONGEST_WRITE, Unclear } from './interpreter.js';
import type { Recording } from './operations.js';
import { growLog, openShop, type Shop, trade, tradeUntilGone, turnOver } from './workload.js';

/** Passwords are not what is tested here. */
const CHEAP = { ARGON2_MEMORY: '64', ARGON2_TIME: '1' };

/** How much happens while a recording is made. */
export interface Size {
  /** Purchases per connection in each process. */
  readonly rounds: number;
  /** Deals with long texts; with 130 of them, the log's WAL is copied into its file. */
  readonly longDeals: number;
  /** Views that are built anew. */
  readonly turnOvers: readonly string[];
  /** Whether it ends with a start after an orderly end. */
  readonly again: boolean;
}

/** A row of state.db that an answer of success stands for. */
export interface ToldRow {
  /** The answer's Request-Id. */
  readonly request: string;
  readonly row: string;
}

/** A recording, and what the folder held in the end: whatever the power leaves must be a beginning of that. */
export interface Story {
  readonly recording: Recording;
  readonly rows: readonly ToldRow[];
  /** The log's events in order, each as a text. */
  readonly events: readonly string[];
  readonly state: StateRows;
  /** The sandbox gateway's ledger. */
  readonly ledger: Buffer;
}

/** An event as a text: equal events have equal texts. */
export function textOf(event: Recorded): string {
  return JSON.stringify({ ...event, position: String(event.position) });
}

/**
 * Records everything that processes of the whole service do to one folder, one after another: a first start, which is killed in
 * the middle of its work; a start after that, which works, copies the log's WAL and builds views anew; and perhaps a start after
 * that orderly end.
 */
export async function recordStory(size: Size): Promise<Story> {
  for (;;) {
    try {
      return await recordOnce(size);
    } catch (error) {
      if (!(error instanceof Unclear)) throw error;
    }
  }
}

async function recordOnce({ rounds, longDeals, turnOvers, again }: Size): Promise<Story> {
  const dataDir = newDataDir();
  const interpreter = new Interpreter(dataDir);
  let shop: Shop | undefined;
  const process = async (work: (service: RunningService, shop: Shop) => Promise<void>): Promise<void> => {
    const trace = join(newDataDir(), 'trace');
    const service = await RunningService.start({
      dataDir,
      env: CHEAP,
      prefix: tracing(trace, CHANGING, LONGEST_WRITE),
    });
    shop ??= await openShop(service);
    await work(service, shop);
    const { calls, unended } = await traceOf(trace);
    interpreter.add(calls, unended);
    rmSync(trace);
  };

  await process(async (service, own) => {
    await trade(service, own, rounds);
    const broken = tradeUntilGone(service, own);
    await pause(100);
    await service.kill();
    await broken;
  });
  await process(async (service, own) => {
    await Promise.all([trade(service, own, rounds), growLog(service, longDeals)]);
    await Promise.all([trade(service, own, rounds), ...turnOvers.map((view) => turnOver(service, view))]);
    await service.stop();
  });
  if (again) {
    await process(async (service, own) => {
      await trade(service, own, 1);
      await service.stop();
    });
  }
  const keyring = keyringOf(dataDir);
  const rows = (shop?.facts ?? []).map((fact) => ({ request: fact.request, row: rowOf(fact, keyring) }));
  const state = stateRowsOf(dataDir);
  for (const { row } of rows) if (!state.has(row)) throw new Error(`state.db has no row ${row}`);
  const ledger = readFileSync(join(dataDir, 'sandbox-gateway.jsonl'));
  return { recording: interpreter.recording, rows, events: (await eventsOf(dataDir)).map(textOf), state, ledger };
}

function keyringOf(dataDir: string): Keyring {
  const { randomness } = thisMachine;
  const keys = inspectState(join(dataDir, 'state.db'))?.keyValues.get(KEYS_ENTRY) ?? '';
  return unwrapKeys(
    keys,
    loadMasterKey({ file: join(dataDir, 'master.key'), mustExist: true, randomness }),
    dataDir,
    randomness,
  );
}
