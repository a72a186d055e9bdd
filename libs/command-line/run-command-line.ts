import { Command, CommanderError, Option } from 'commander';
import { thisMachine } from '#adapters/machine';
import { SETTINGS } from '#kernel/bounds';
import { addCalls } from './add-calls.js';
import { checkCommandLine, textWithin } from './arguments.js';
import { CALLS } from './calls/index.js';
import { ExitCode, CommandFailure } from './command-failure.js';
import { addBackupCommands, type BackupFiles, type BackupWork } from './backup-commands.js';
import { addCompletion } from './completion.js';
import { addLocal, type Local } from './local/add-local.js';
import type { Form, Output } from './output.js';
import { printable } from './printable.js';
import { PACKAGE } from './package.js';
import { ProjectionsClient } from './projections-client.js';
import { ServiceClient } from './service-client.js';
import type { Session } from './session.js';
import { targetOf, type TargetOptions } from './target.js';

const EXIT_CODES = `
Exit codes: 0 done; 1 refused or not found; 2 wrong usage or credential; 3 no service, or not ready, or an answer that is not whole; 130 interrupted.`;

const NO_SERVICE = 'No service runs: this is what its data folder has. What is known of persons stays sealed.\n';
const IN_USE =
  'A service, or another command, uses the data folder. Name the address of the service with --url, or HOLDFAST_URL.';
const NO_VERB = 'the command is not whole: --help lists nouns and verbs';

/** Commander's own texts where only JSON is read: help and version are JSON, and errors are written as failures. */
const IN_JSON = {
  writeOut: (text: string): unknown => process.stdout.write(`${JSON.stringify({ text: text.trimEnd() })}\n`),
  writeErr: (): void => undefined,
  outputError: (): void => undefined,
};

/** How a program is called, and how it writes. */
export interface Calling {
  readonly name?: string;
  readonly form?: Form;
  /** What backup and restore work with; without it they are only described. */
  readonly backups?: BackupWork;
}

/**
 * All commands with their arguments and options.
 * @param session makes what a command works with, after the options are parsed
 */
export function opsProgram(
  session: () => Session,
  { name = 'holdfast', form = 'people', backups }: Calling = {},
): Command {
  const program = new Command(name)
    .description('The operators’ command line for a running service, or for the data folder of one that does not run.')
    .configureOutput(form === 'json' ? IN_JSON : {})
    .version(`${PACKAGE.name} ${PACKAGE.version}`, '--version', 'prints name and version')
    .option('--url <url>', 'the URL of the service (HOLDFAST_URL; http://127.0.0.1:3000)', textWithin(SETTINGS.url))
    .option(
      '--token-file <file>',
      "the file with the operator's token (otherwise the token in OPERATOR_TOKEN, or the file DATA_DIR/operator.token)",
      textWithin(SETTINGS.path),
    )
    .addOption(new Option('--json', 'prints JSON, for machines').conflicts('csv'))
    .option('--csv', 'prints the table as CSV, for spreadsheets')
    .addHelpText('after', EXIT_CODES)
    .exitOverride();
  addCalls(program, CALLS, session);
  addBackupCommands(program, backups);
  return program;
}

/** A data folder that answers reading calls, because no service does. */
export interface OpenedFolder {
  readonly url: string;
  close(): Promise<void>;
}

/** Who waits until the folder is open. */
export interface Waiting {
  /** Hears every few seconds for what it waits. */
  tell(words: string): void;
  /** Aborts at Ctrl-C. */
  readonly interrupted: AbortSignal;
}

/** How the command line was begun. */
export interface Beginning {
  /** How the operator calls the program, for its help. */
  readonly name?: string;
  /** Opens the data folder to read it (ruling I18); undefined if there is none. @throws Error for people to read */
  readonly openFolder?: (waiting: Waiting) => Promise<OpenedFolder | undefined>;
  /** Loads what backs up and restores. */
  readonly files?: () => Promise<BackupFiles>;
  /** Looks at an installation; without it, there are no commands for that. */
  readonly local?: Local;
}

/**
 * Runs one operators' command on a running service, or, where none runs, on the data folder (rulings G8, I18).
 * @param args the command line without program and script
 * @returns the exit code
 */
export async function runCommandLine(
  args: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
  { name, openFolder, files, local }: Beginning = {},
): Promise<ExitCode> {
  const { time } = thisMachine;
  const interruption = new AbortController();
  const interrupt = (): void => interruption.abort();
  process.once('SIGINT', interrupt);
  // Whoever reads has enough, as in `| head`.
  const end = (error: NodeJS.ErrnoException): void => {
    if (error.code !== 'EPIPE') throw error;
    process.exit(ExitCode.done);
  };
  process.stdout.on('error', end);
  const output: Output = { out: process.stdout, err: process.stderr, form: formOf(args) };
  let code: ExitCode = ExitCode.done;
  let folder: OpenedFolder | undefined;
  const session = (): Session => {
    const target = targetOf(program.opts<TargetOptions>(), environment);
    if (target.warning !== undefined) output.err.write(`${printable(target.warning)}\n`);
    const instead = async (): Promise<string | undefined> => {
      if (!target.isDefault) return undefined;
      const tell = (words: string): unknown => output.err.write(printable(`Waits for ${words}\n`));
      folder = await openedBy(openFolder, { tell, interrupted: interruption.signal }, target.url);
      if (folder !== undefined) output.err.write(NO_SERVICE);
      return folder?.url;
    };
    const service = new ServiceClient(target, time, instead);
    return {
      service,
      projections: new ProjectionsClient(service),
      output,
      interrupted: interruption.signal,
      time,
      endWith: (other) => (code = other),
    };
  };
  const backups: BackupWork | undefined = files && {
    files,
    environment,
    output,
    interrupted: interruption.signal,
    time,
    service: () => new ServiceClient(targetOf(program.opts<TargetOptions>(), environment), time),
    endWith: (other) => (code = other),
  };
  const newProgram = (calling?: Calling): Command => {
    const made = opsProgram(session, calling);
    if (local !== undefined) addLocal(made, environment, { output, local, endWith: (other) => (code = other) });
    return made;
  };
  const program = newProgram({
    ...(name !== undefined && { name }),
    form: output.form,
    ...(backups && { backups }),
  });
  addCompletion(program, args, newProgram);
  try {
    checkCommandLine(args);
    await program.parseAsync(args, { from: 'user' });
    return code;
  } catch (error) {
    return failed(error, output);
  } finally {
    await folder?.close();
    process.removeListener('SIGINT', interrupt);
    process.stdout.removeListener('error', end);
  }
}

/** @throws CommandFailure if there is a folder that cannot be read now */
async function openedBy(
  open: Beginning['openFolder'],
  waiting: Waiting,
  url: string,
): Promise<OpenedFolder | undefined> {
  try {
    return await open?.(waiting);
  } catch (error) {
    if (waiting.interrupted.aborted)
      throw new CommandFailure(
        'Interrupted: the next command goes on where this one has stopped.',
        ExitCode.interrupted,
      );
    const why = (error instanceof Error ? error.message : String(error)).replace(/\.$/, '');
    if (why.startsWith('another Holdfast')) throw new CommandFailure(IN_USE, ExitCode.unreachable);
    throw new CommandFailure(
      `No service answers at ${url}, and its folder cannot be read: ${why}. --url names the address of a running service.`,
      ExitCode.unreachable,
    );
  }
}

/** The form of results, known before the options are parsed: a wrong option fails in that form, too. */
function formOf(args: readonly string[]): Form {
  if (args.includes('--json')) return 'json';
  return args.includes('--csv') ? 'csv' : 'people';
}

/** Writes why a command failed. @returns the exit code */
function failed(error: unknown, { err, out, form }: Output): ExitCode {
  const isUsage = error instanceof CommanderError;
  if (!isUsage && !(error instanceof CommandFailure)) throw error;
  if (isUsage && error.exitCode === 0) return ExitCode.done;
  const message = isUsage && error.code === 'commander.help' ? NO_VERB : error.message.replace(/^error: /, '');
  if (form === 'json') out.write(`${JSON.stringify({ error: message })}\n`);
  // Commander has already printed its error, or the help.
  else if (!isUsage) err.write(`${printable(error.message)}\n`);
  return isUsage ? ExitCode.usage : error.exitCode;
}
