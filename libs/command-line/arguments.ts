import { InvalidArgumentError } from 'commander';
import { COMMAND_LINE } from '#kernel/bounds';
import { ExitCode, CommandFailure } from './command-failure.js';

/** Makes a parser of an option or argument that refuses texts of more characters. */
export const textWithin =
  (most: number) =>
  (text: string): string => {
    if (text.length > most) throw new InvalidArgumentError(`It must have at most ${most} characters.`);
    return text;
  };

/** Makes a parser of a whole number within bounds; its text is sent to the service. */
export const wholeNumber =
  ([least, most]: readonly [number, number]) =>
  (text: string): string => {
    if (/^\d{1,16}$/.test(text) && Number(text) >= least && Number(text) <= most) return text;
    throw new InvalidArgumentError(`It must be a whole number from ${least} to ${most}.`);
  };

/** Parses the number of a generation. */
export function generationOf(text: string): number {
  const number = /^[1-9]\d*$/.test(text) ? Number(text) : Infinity;
  if (number > COMMAND_LINE.generation) {
    throw new InvalidArgumentError(`It must be a whole number from 1 to ${COMMAND_LINE.generation}.`);
  }
  return number;
}

/**
 * Checks the size of a command line before it is parsed, because error messages repeat parts of it.
 * @throws CommandFailure
 */
export function checkCommandLine(args: readonly string[]): void {
  const { parts, part } = COMMAND_LINE;
  if (args.length > parts) {
    throw new CommandFailure(`The command line has ${args.length} parts: it has at most ${parts}.`, ExitCode.usage);
  }
  const long = args.findIndex(({ length }) => length > part);
  if (long < 0) return;
  const what = `Part ${long + 1} of the command line (${args[long]?.slice(0, 20)}…)`;
  throw new CommandFailure(`${what} is too long: each has at most ${part} characters.`, ExitCode.usage);
}
