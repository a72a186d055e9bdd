import { Command, CommanderError } from 'commander';
import { thisMachine } from '#adapters/machine';
import { SETTINGS } from '#kernel/bounds';
import { checkCommandLine, textWithin } from './arguments.js';
import { ExitCode, CommandFailure } from './command-failure.js';
import { addDeals } from './deals.js';
import { addEvents } from './events.js';
import { printable, type Output } from './output.js';
import { ProjectionsClient } from './projections-client.js';
import { addProjections } from './projections.js';
import { addSales } from './sales.js';
import { ServiceClient } from './service-client.js';
import type { Session } from './session.js';
import { targetOf, type TargetOptions } from './target.js';

const EXIT_CODES = `
Exit codes: 0 done; 1 refused or not found; 2 wrong usage or credential; 3 no service, or not ready; 130 interrupted.`;

/**
 * All commands with their arguments and options.
 * @param session makes what a command works with, after the options are parsed
 */
export function opsProgram(session: () => Session): Command {
  const program = new Command('ops')
    .description('The operators’ command line for a running service.')
    .option('--url <url>', 'the URL of the service (HOLDFAST_URL; http://127.0.0.1:3000)', textWithin(SETTINGS.url))
    .option(
      '--token-file <file>',
      "the file with the operator's token (otherwise the token in OPERATOR_TOKEN, or the file DATA_DIR/operator.token)",
      textWithin(SETTINGS.path),
    )
    .option('--json', 'prints JSON, for machines')
    .addHelpText('after', EXIT_CODES)
    .exitOverride();
  addProjections(program, session);
  addDeals(program, session);
  addEvents(program, session);
  addSales(program, session);
  return program;
}

/**
 * Runs one operators' command on a running service (ruling G8).
 * @param args the command line without program and script
 * @returns the exit code
 */
export async function runCommandLine(
  args: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
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
  const outputOf = (): Output => ({ out: process.stdout, err: process.stderr, json: args.includes('--json') });
  const program = opsProgram(() => {
    const target = targetOf(program.opts<TargetOptions>(), environment);
    const output = outputOf();
    if (target.warning !== undefined) output.err.write(`${printable(target.warning)}\n`);
    const service = new ServiceClient(target, time);
    return { service, projections: new ProjectionsClient(service), output, interrupted: interruption.signal, time };
  });
  try {
    checkCommandLine(args);
    await program.parseAsync(args, { from: 'user' });
    return ExitCode.done;
  } catch (error) {
    // Commander has already printed its error, or the help.
    if (error instanceof CommanderError) return error.exitCode === 0 ? ExitCode.done : ExitCode.usage;
    if (!(error instanceof CommandFailure)) throw error;
    const { err, out, json } = outputOf();
    if (json) out.write(`${JSON.stringify({ error: error.message })}\n`);
    else err.write(`${printable(error.message)}\n`);
    return error.exitCode;
  } finally {
    process.removeListener('SIGINT', interrupt);
    process.stdout.removeListener('error', end);
  }
}
