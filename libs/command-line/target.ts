import { join } from 'node:path';
import { readWithin } from '#eventsourcing/ports';
import { FILES, SETTINGS, TOKEN_LENGTH } from '#kernel/bounds';
import { ExitCode, CommandFailure } from './command-failure.js';

/** The service that a command is for, and who asks. */
export interface Target {
  readonly url: string;
  readonly token: string;
}

/** What the command line and the environment say about that. */
export interface TargetOptions {
  readonly url?: string | undefined;
  readonly tokenFile?: string | undefined;
}

type Environment = Readonly<Record<string, string | undefined>>;

const DEFAULT_URL = 'http://127.0.0.1:3000';
const HINT = 'Name one with --token-file, or set OPERATOR_TOKEN.';
const [, LONGEST_TOKEN] = TOKEN_LENGTH;

/** What is read of the environment, and how many characters it may have. */
export const ENVIRONMENT: Readonly<Record<string, number>> = {
  HOLDFAST_URL: SETTINGS.url,
  OPERATOR_TOKEN: LONGEST_TOKEN,
  DATA_DIR: SETTINGS.path,
};

/**
 * `--url`, HOLDFAST_URL or this machine's port 3000; the token of `--token-file`, OPERATOR_TOKEN, or the file that the first
 * start left in DATA_DIR.
 * @throws CommandFailure
 */
export function targetOf(options: TargetOptions, environment: Environment): Target {
  for (const [name, most] of Object.entries(ENVIRONMENT)) {
    if ((environment[name]?.length ?? 0) <= most) continue;
    throw new CommandFailure(`${name} has more than ${most} characters.`, ExitCode.usage);
  }
  const url = options.url ?? environment['HOLDFAST_URL'] ?? DEFAULT_URL;
  if (!URL.canParse(url) || !/^https?:/.test(url)) {
    throw new CommandFailure(`${url} is no address of a service. It looks like ${DEFAULT_URL}.`, ExitCode.usage);
  }
  const token = environment['OPERATOR_TOKEN'];
  if (options.tokenFile === undefined && token !== undefined) return { url, token: tokenOf('OPERATOR_TOKEN', token) };
  const file = options.tokenFile ?? join(environment['DATA_DIR'] ?? './data', 'operator.token');
  return { url, token: tokenOf(file, textOf(file)) };
}

/** @throws CommandFailure where the file is not there, cannot be read, or is too large for a token */
function textOf(file: string): string {
  let text: string | undefined;
  try {
    text = readWithin(file, FILES.tokenFile)?.toString();
  } catch (error) {
    const why = (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'is not there' : 'cannot be read';
    throw new CommandFailure(`The operator's token ${file} ${why}. ${HINT}`, ExitCode.usage);
  }
  if (text !== undefined) return text;
  throw new CommandFailure(`${file} is larger than ${FILES.tokenFile} bytes: it is no token. ${HINT}`, ExitCode.usage);
}

/** @throws CommandFailure where it is something else: a token is one word, which a header can hold */
function tokenOf(from: string, text: string): string {
  const token = text.trim();
  if (/^[\x21-\x7e]+$/.test(token) && token.length <= LONGEST_TOKEN) return token;
  throw new CommandFailure(`${from} holds no token: a token is one word. ${HINT}`, ExitCode.usage);
}
