import { join } from 'node:path';
import { openToOthers, readWithin } from '#files';
import { isAdminTls, placeOf, urlAt } from '#kernel';
import { FILES, SETTINGS, TOKEN_LENGTH } from '#kernel/bounds';
import { ExitCode, CommandFailure } from './command-failure.js';

/** The service that a command calls, and the token that it sends. */
export interface Target {
  readonly url: string;
  readonly token: string;
  /** Whether nobody has named the URL. */
  readonly isDefault: boolean;
  /** Set if other users can read the file with the token. */
  readonly warning?: string | undefined;
}

/** The options that name the target. */
export interface TargetOptions {
  readonly url?: string | undefined;
  readonly tokenFile?: string | undefined;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Where a service is that has no settings. */
const DEFAULT_URL = 'http://127.0.0.1:3000';
const HINT = 'Name one with --token-file, or set OPERATOR_TOKEN.';
const [, LONGEST_TOKEN] = TOKEN_LENGTH;

/** The environment variables that it reads, with the most characters of each. */
export const ENVIRONMENT: Readonly<Record<string, number>> = {
  HOLDFAST_URL: SETTINGS.url,
  ADMIN_HOST: SETTINGS.host,
  TLS_CERT: SETTINGS.path,
  OPERATOR_TOKEN: LONGEST_TOKEN,
  DATA_DIR: SETTINGS.path,
};

/**
 * The target from options and environment. The URL is `--url`, HOLDFAST_URL, that of ADMIN_HOST, which the service's settings may
 * name, or this machine's port 3000. The token is in
 * `--token-file`, OPERATOR_TOKEN, or the file that the first start wrote to DATA_DIR.
 * @throws CommandFailure
 */
export function targetOf(options: TargetOptions, environment: Environment): Target {
  for (const [name, most] of Object.entries(ENVIRONMENT)) {
    if ((environment[name]?.length ?? 0) <= most) continue;
    throw new CommandFailure(`${name} has more than ${most} characters.`, ExitCode.usage);
  }
  const named = options.url ?? environment['HOLDFAST_URL'];
  const url = named ?? urlOfSettings(environment);
  const isDefault = named === undefined;
  if (!URL.canParse(url) || !/^https?:/.test(url)) {
    throw new CommandFailure(`${url} is not the URL of a service. An example is ${DEFAULT_URL}.`, ExitCode.usage);
  }
  const token = environment['OPERATOR_TOKEN'];
  if (options.tokenFile === undefined && token !== undefined)
    return { url, isDefault, token: tokenOf('OPERATOR_TOKEN', token) };
  const file = options.tokenFile ?? join(environment['DATA_DIR'] ?? './data', 'operator.token');
  return { url, isDefault, token: tokenOf(file, textOf(file)), warning: openToOthers(file) };
}

/** Where a service with these settings answers operators. A service without ADMIN_HOST may listen elsewhere: then `--url` says so. */
function urlOfSettings({ ADMIN_HOST: admin = '', TLS_CERT: certificate }: Environment): string {
  const place = placeOf(admin);
  return place === undefined
    ? DEFAULT_URL
    : urlAt({ ...place, tls: isAdminTls(place.host, certificate !== undefined) });
}

/** @throws CommandFailure if the file does not exist, cannot be read, or is too large for a token */
function textOf(file: string): string {
  let text: string | undefined;
  try {
    text = readWithin(file, FILES.tokenFile)?.toString();
  } catch (error) {
    const why = (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'does not exist' : 'cannot be read';
    throw new CommandFailure(`The operator's token ${file} ${why}. ${HINT}`, ExitCode.usage);
  }
  if (text !== undefined) return text;
  throw new CommandFailure(
    `${file} is larger than ${FILES.tokenFile} bytes: it is not a token. ${HINT}`,
    ExitCode.usage,
  );
}

/** @throws CommandFailure if the text is not a token: a token is one word that fits into a header */
function tokenOf(from: string, text: string): string {
  const token = text.trim();
  if (/^[\x21-\x7e]+$/.test(token) && token.length <= LONGEST_TOKEN) return token;
  throw new CommandFailure(`${from} holds no token: a token is one word. ${HINT}`, ExitCode.usage);
}
