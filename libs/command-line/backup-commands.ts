import type { Command } from 'commander';
import type { Time } from '#eventsourcing';
import { parsedJson, utcTime } from '#kernel';
import { SETTINGS } from '#kernel/bounds';
import { textWithin } from './arguments.js';
import { CommandFailure, ExitCode } from './command-failure.js';
import { type Output, writeLine } from './output.js';
import { printable } from './printable.js';
import type { ServiceClient } from './service-client.js';
import { StepBar, type Step } from './step-bar.js';

type Environment = Readonly<Record<string, string | undefined>>;

/** A row of what the service keeps beside its log, or how far these rows go. */
// oxlint-disable-next-line typescript/no-explicit-any -- lines go from the service to the backup as they are
type News = any;

/** Events and bytes of a copy. */
interface Taken {
  readonly events: number;
  readonly bytes: number;
  readonly inAll: number;
  readonly removed: number;
}

/** What backs up and restores: the service's own code. */
export interface BackupFiles {
  readonly runBackup: (
    environment: Environment,
    order: {
      readonly folder: string;
      readonly keyFile?: string | undefined;
      readonly follow?: boolean | undefined;
      readonly keep?: string | undefined;
    },
    hearer: {
      readonly ask: (follow: boolean, signal: AbortSignal) => AsyncIterable<News>;
      readonly signal: AbortSignal;
      progress(step: Step): void;
      warn(words: string): void;
      taken(taken: Taken): void;
    },
  ) => Promise<void>;
  readonly runRestore: (
    environment: Environment,
    order: {
      readonly backup: string;
      readonly at?: string | undefined;
      readonly keyFile?: string | undefined;
      readonly masterKeyFile?: string | undefined;
      readonly erasures?: string | undefined;
    },
    hearer: { readonly signal: AbortSignal; readonly progress: (step: Step) => void },
  ) => Promise<{
    readonly installation: string;
    readonly at: number;
    readonly events: number;
    readonly last: number | undefined;
    readonly erasures: number;
    readonly answersDropped: number;
    readonly ofPartners: readonly string[];
    readonly ofGateway: readonly string[] | undefined;
    readonly accept: string | undefined;
  }>;
  readonly runDrill: (
    environment: Environment,
    order: RestoreOrder,
    hearer: { readonly signal: AbortSignal; progress(step: Step): void },
  ) => Promise<{
    readonly copied: number;
    readonly age: number;
    readonly events: number;
    readonly findings: number;
    readonly told: readonly string[];
    readonly seconds: number;
  }>;
}

/** What a restore needs. */
type RestoreOrder = Parameters<BackupFiles['runRestore']>[1];

/** What the commands work with. */
export interface BackupWork {
  readonly files: () => Promise<BackupFiles>;
  readonly environment: Environment;
  readonly output: Output;
  /** Aborts at Ctrl-C. */
  readonly interrupted: AbortSignal;
  readonly time: Time;
  readonly service: () => Pick<ServiceClient, 'lines'>;
  readonly endWith: (code: ExitCode) => void;
}

/** Milliseconds between two tries to reach a service that is followed. */
const AGAIN = 1_000;

const NOTHING_RESTORED = 'Interrupted: nothing is restored. The next restore begins anew.';
const GOES_ON = 'Interrupted: what was copied stays, and the next run goes on there.';

/** Adds `backup` and `restore`: they work with files and servers themselves, not through a call. */
export function addBackupCommands(program: Command, work: BackupWork | undefined): void {
  const [path, word] = [textWithin(SETTINGS.path), textWithin(SETTINGS.word)];
  const restoring = (command: Command): Command =>
    command
      .argument('<backup>', 'the folder of the backup', path)
      .option('--at <copy>', 'the name of a copy, or a moment before which it was taken (the newest)', word)
      .option('--key-file <file>', 'the key of an encrypted backup', path)
      .option('--master-key-file <file>', 'the file with the master key, if MASTER_KEY is not set', path)
      .option(
        '--erasures <file>',
        'the file of erasures (ERASURES_FILE); `none` if nobody was ever erased; `backup` if it is lost',
        path,
      );
  program
    .command('backup')
    .argument('<folder>', 'where the backup is, or will be', path)
    .description('copies log, keys, vault and kept answers of a service, while it runs, into a folder')
    .option('--follow', 'goes on with every change, at most a second behind, until Ctrl-C')
    .option('--key-file <file>', 'encrypts it with the key in this file: 32 bytes, in hex or base64', path)
    .option('--keep <generations>', 'keeps so many daily, weekly and monthly copies, as in 7d,4w,12m', word)
    .addHelpText('after', '\nExample: holdfast backup /mnt/backups/holdfast --keep 7d,4w,12m')
    .action((folder: string, options: Omit<Order, 'folder'>) => backUp(needed(work), { folder, ...options }));
  restoring(program.command('restore'))
    .description('writes a backup into an empty data folder (DATA_DIR), or to empty servers')
    .addHelpText('after', '\nExample: holdfast restore /mnt/backups/holdfast --master-key-file /root/master.key')
    .action((backup: string, options: Omit<RestoreOrder, 'backup'>) => restore(needed(work), { ...options, backup }));
  restoring(program.command('drill'))
    .description('restores a backup into a temporary folder, compares log, views and money, and notes how that ended')
    .addHelpText('after', '\nExample: holdfast drill /mnt/backups/holdfast --master-key-file /root/master.key')
    .action((backup: string, options: Omit<RestoreOrder, 'backup'>) => tryOut(needed(work), { ...options, backup }));
}

type Order = Parameters<BackupFiles['runBackup']>[1];

function needed(work: BackupWork | undefined): BackupWork {
  if (work === undefined) throw new CommandFailure('this program has no backups', ExitCode.usage);
  return work;
}

async function backUp(work: BackupWork, order: Order): Promise<void> {
  const { output, interrupted, environment } = work;
  const bar = new StepBar('backup', output);
  const say = (words: string): void => {
    bar.hide();
    output.err.write(`${printable(words)}\n`);
  };
  try {
    const { runBackup } = await work.files();
    await runBackup(environment, order, {
      ask: (follow, signal) => stateOf(work, follow, signal, say),
      signal: interrupted,
      progress: (step) => bar.show(step),
      warn: (words) => say(`Warning: ${words}.`),
      taken(taken) {
        bar.hide();
        tell(output, taken, order);
      },
    });
  } catch (error) {
    bar.hide();
    if (interrupted.aborted) throw new CommandFailure(GOES_ON, ExitCode.interrupted);
    throw failureOf(error);
  }
  bar.hide();
}

function tell({ out, form }: Output, taken: Taken, { folder, follow, keep }: Order): void {
  const { events, bytes, inAll, removed } = taken;
  const words = [
    `${folder} has ${inAll} events, ${events} of them new (${bytes} bytes), with keys, vault and kept answers.`,
    // A copy that is followed takes the place of the one before it.
    ...(removed > 0 && keep !== undefined ? [`${removed} older copies were removed (--keep).`] : []),
    ...(follow === true ? ['It follows; Ctrl-C ends it.'] : []),
  ];
  out.write(
    form === 'json'
      ? `${JSON.stringify({ folder, events, bytes, in_all: inAll, removed })}\n`
      : printable(`${words.join('\n')}\n`),
  );
}

/** What the running service keeps beside its log. One that is followed may be stopped and started again meanwhile. */
async function* stateOf(
  { service, time }: BackupWork,
  follow: boolean,
  signal: AbortSignal,
  say: (words: string) => void,
): AsyncGenerator<News> {
  for (let begun = false; ;) {
    try {
      for await (const text of service().lines(`/operators/backup/state${follow ? '?follow=true' : ''}`, signal)) {
        const news = parsedJson(text);
        if (typeof news !== 'object' || news === null || 'end' in news) continue;
        begun = true;
        yield news;
      }
      if (!follow) return;
    } catch (error) {
      if (signal.aborted) return;
      if (!follow || !begun || !(error instanceof CommandFailure) || error.exitCode !== ExitCode.unreachable)
        throw error;
    }
    if (signal.aborted) return;
    say('The service does not answer: waits for it.');
    await time.pause(AGAIN, { signal });
  }
}

async function restore(work: BackupWork, order: RestoreOrder): Promise<void> {
  const { output, environment, interrupted } = work;
  const bar = new StepBar('restore', output);
  try {
    const { runRestore } = await work.files();
    const restored = await runRestore(environment, order, {
      signal: interrupted,
      progress: (step) => bar.show(step),
    });
    bar.hide();
    const { last } = restored;
    if (output.form === 'json')
      await writeLine(
        output.out,
        JSON.stringify({ restored: { ...restored, last: last === undefined ? null : utcTime(last) } }),
      );
    else await writeLine(output.out, printable(wordsOf(restored)));
  } catch (error) {
    bar.hide();
    if (interrupted.aborted) throw new CommandFailure(NOTHING_RESTORED, ExitCode.interrupted);
    throw failureOf(error);
  }
}

async function tryOut(
  { output, environment, interrupted, files, endWith }: BackupWork,
  order: RestoreOrder,
): Promise<void> {
  const bar = new StepBar('drill', output);
  try {
    const { runDrill } = await files();
    const report = await runDrill(environment, order, { signal: interrupted, progress: (step) => bar.show(step) });
    bar.hide();
    const { copied, age, events, findings, told, seconds } = report;
    const json = { copied_at: utcTime(copied), age_seconds: Math.round(age / 1_000), events, findings, seconds, told };
    if (output.form === 'json') await writeLine(output.out, JSON.stringify({ drill: json }));
    else {
      const verdict = findings === 0 ? 'It is sound.' : `${findings} findings: the backup contradicts itself.`;
      await writeLine(
        output.out,
        printable(
          [
            ...told,
            `Restored ${events} events of the copy of ${utcTime(copied)} (${ageOf(age)} old), built the views, and compared log, views and money in ${seconds} s. ${verdict}`,
          ].join('\n'),
        ),
      );
    }
    if (findings > 0) endWith(ExitCode.refused);
  } catch (error) {
    bar.hide();
    if (interrupted.aborted) throw new CommandFailure('Interrupted: nothing was found out.', ExitCode.interrupted);
    throw failureOf(error);
  }
}

/** How old something is, in words. */
function ageOf(milliseconds: number): string {
  const minutes = Math.round(milliseconds / 60_000);
  if (minutes < 2) return `${Math.round(milliseconds / 1_000)} seconds`;
  if (minutes < 120) return `${minutes} minutes`;
  return minutes < 2_880 ? `${Math.round(minutes / 60)} hours` : `${Math.round(minutes / 1_440)} days`;
}

function wordsOf(restored: Awaited<ReturnType<BackupFiles['runRestore']>>): string {
  const { events, at, last, erasures, answersDropped, ofPartners, ofGateway, accept } = restored;
  const until = last === undefined ? 'the beginning' : utcTime(last);
  return [
    `Restored ${events} events up to ${until}, of the copy of ${utcTime(at)}. The first start builds the views, and applies ${erasures} erasures.`,
    `Sales after ${until} are not in it: partners may know them, and buyers hold their coupons.`,
    ...(answersDropped > 0
      ? [
          `${answersDropped} kept answers were younger than the log, and are dropped: their requests run again if they are repeated.`,
        ]
      : []),
    ...(ofPartners.length > 0
      ? ['These purchases were confirmed to partners, and are gone:', ...ofPartners.map((id) => `  ${id}`)]
      : []),
    ...gatewayWords(ofGateway, accept),
  ].join('\n');
}

function gatewayWords(lines: readonly string[] | undefined, accept = ''): readonly string[] {
  if (lines === undefined)
    return ['The payment gateway could not be asked what it has done since: the first start asks it.'];
  if (lines.length === 0) return [];
  return [
    'The payment gateway has done this since, which the log does not know. The service decides nothing until it starts with ' +
      `ACCEPT=${accept}: read docs/ownership.md first.`,
    ...lines.map((line) => `  ${line}`),
  ];
}

/** What an operator reads of an error. */
function failureOf(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof CommandFailure || error instanceof TypeError) return error;
  return new CommandFailure(`${error.message.replace(/\.$/, '')}.`, ExitCode.refused);
}
