import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { ExitCode, OpsFailure } from './failure.js';

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
/** Bytes of a token's file: a token has some 40. */
const LONGEST_TOKEN_FILE = 4_096;
const HINT = 'Name one with --token-file, or set OPERATOR_TOKEN.';

/**
 * `--url`, HOLDFAST_URL or this machine's port 3000; the token of `--token-file`, OPERATOR_TOKEN, or the file that the first
 * start left in DATA_DIR.
 * @throws OpsFailure
 */
export function targetOf(options: TargetOptions, environment: Environment): Target {
  const url = options.url ?? environment['HOLDFAST_URL'] ?? DEFAULT_URL;
  if (!URL.canParse(url) || !/^https?:/.test(url)) {
    throw new OpsFailure(`${url} is no address of a service. It looks like ${DEFAULT_URL}.`, ExitCode.usage);
  }
  const given = environment['OPERATOR_TOKEN'];
  if (options.tokenFile === undefined && given !== undefined) return { url, token: given };
  const file = options.tokenFile ?? join(environment['DATA_DIR'] ?? './data', 'operator.token');
  try {
    if (statSync(file).size > LONGEST_TOKEN_FILE) {
      throw new OpsFailure(
        `${file} is larger than ${LONGEST_TOKEN_FILE} bytes: it is no token. ${HINT}`,
        ExitCode.usage,
      );
    }
    return { url, token: tokenIn(file) };
  } catch (error) {
    if (error instanceof OpsFailure) throw error;
    const why = (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'is not there' : 'cannot be read';
    throw new OpsFailure(`The operator's token ${file} ${why}. ${HINT}`, ExitCode.usage);
  }
}

/** @throws OpsFailure where the file is one of something else: a token is one word */
function tokenIn(file: string): string {
  const text = readFileSync(file, 'utf8').trim();
  if (/^\S+$/.test(text)) return text;
  throw new OpsFailure(`${file} holds no token: a token is one word. ${HINT}`, ExitCode.usage);
}
