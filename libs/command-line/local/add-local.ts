import { parseEnv } from 'node:util';
import type { Command } from 'commander';
import { readWithin } from '#files';
import { FILES, SETTINGS } from '#kernel/bounds';
import { textWithin } from '../arguments.js';
import { CommandFailure, ExitCode } from '../command-failure.js';
import type { Output } from '../output.js';
import type { TargetOptions } from '../target.js';
import { SETTINGS_FILE, LOCAL } from './commands.js';
import { type Diagnosis, showDiagnosis } from './show-diagnosis.js';

type Environment = Readonly<Record<string, string | undefined>>;

/** Where the service is, and as whom it is asked; and the names in a file of settings. */
export interface LocalOptions extends TargetOptions {
  /** The names in `--settings`; none without one. */
  readonly names: readonly string[];
}

/** What looks at an installation; programs pass it in, because only they know the service's own code. */
export interface Local {
  diagnose(environment: Environment, options: LocalOptions): Promise<Diagnosis>;
  describe(environment: Environment, options: LocalOptions): Promise<object>;
}

/** Adds the commands that need no service. @param endWith sets the exit code */
export function addLocal(
  program: Command,
  environment: Environment,
  {
    output,
    local,
    endWith,
  }: { readonly output: Output; readonly local: Local; readonly endWith: (code: ExitCode) => void },
): void {
  add(program, 'doctor', async (settings, options) => {
    const diagnosis = await local.diagnose(settings, options);
    showDiagnosis(output, diagnosis);
    if (diagnosis.verdict === 'wrong') endWith(ExitCode.refused);
  });
  add(program, 'describe', async (settings, options) => {
    const description = await local.describe(settings, options);
    output.out.write(`${JSON.stringify(description, null, output.form === 'json' ? undefined : 2)}\n`);
  });

  function add(
    to: Command,
    name: keyof typeof LOCAL,
    run: (settings: Environment, options: LocalOptions) => Promise<void>,
  ): void {
    const { words, example } = LOCAL[name];
    const command = to
      .command(name)
      .description(words)
      .option(SETTINGS_FILE.flags, SETTINGS_FILE.words, textWithin(SETTINGS.path))
      .addHelpText('after', `\nExample: ${to.name()} ${example}`);
    command.action(async () => {
      const { settings: file } = command.opts<{ readonly settings?: string }>();
      const found = file === undefined ? {} : settingsIn(file);
      const options = { ...to.opts<TargetOptions>(), names: Object.keys(found) };
      await run({ ...environment, ...found }, options);
    });
  }
}

/** @throws CommandFailure if the file cannot be read, or is too large */
function settingsIn(file: string): Environment {
  let text: string | undefined;
  try {
    text = readWithin(file, FILES.settings)?.toString();
  } catch (error) {
    throw new CommandFailure(`--settings: ${(error as Error).message}.`, ExitCode.usage);
  }
  if (text === undefined)
    throw new CommandFailure(`--settings: ${file} has more than ${FILES.settings} bytes.`, ExitCode.usage);
  return parseEnv(text);
}
