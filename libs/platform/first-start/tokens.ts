import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { CommandBus } from '@nestjs/cqrs';
import { createSecretFile, newContext, readWithin, Unavailable, type Engine } from '#eventsourcing';
import { FILES, TOKEN_LENGTH } from '#kernel/bounds';
import { IssueToken } from '#operations';

const [LEAST, MOST] = TOKEN_LENGTH;

/** What is shorter was cut off, or emptied, and can be guessed; what is longer could never be sent. */
const TOKEN = new RegExp(`^\\S{${LEAST},${MOST}}$`);

/** The token that a file holds; undefined where it holds none. */
export function tokenIn(file: string): string | undefined {
  const token = readWithin(file, FILES.tokenFile)?.toString().trim() ?? '';
  return TOKEN.test(token) ? token : undefined;
}

/** What is said of a file that holds none. */
export function noToken(file: string): string {
  return `${file} holds no token (${LEAST} to ${MOST} characters): put its copy back, or delete it for a new one`;
}

/**
 * Makes sure that the two token files are there and open what they say (ruling G1). The file is written first: a start that
 * broke off in between issues the token that is already in it. APIs that share the folder share its tokens.
 * @returns the files that were made
 * @throws Error naming a file that holds no token
 */
export async function ensureTokens(engine: Engine, commands: CommandBus, dataDir: string): Promise<readonly string[]> {
  const made: string[] = [];
  for (const role of ['operator', 'auditor'] as const) {
    const file = join(dataDir, `${role}.token`);
    if (!existsSync(file)) {
      createSecretFile(file, `${engine.keyring.secret()}\n`, engine.randomness);
      made.push(file);
    }
    const token = tokenIn(file);
    if (token === undefined) throw new Error(noToken(file));
    const issue = (): Promise<unknown> =>
      commands.execute(new IssueToken(role, role, token, newContext(engine, 'system:first-start')));
    // Once it is issued it is waited for by nobody: views that are being built anew, or a busy machine, delay no start.
    await issue().catch((error: unknown) => (error instanceof Unavailable ? issue() : Promise.reject(error as Error)));
  }
  return made;
}
