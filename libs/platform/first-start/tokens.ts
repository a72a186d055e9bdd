import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CommandBus } from '@nestjs/cqrs';
import { createSecretFile, newContext, Unavailable, type Engine } from '#eventsourcing';
import { IssueToken } from '#operations';

/** What a file of a token holds at least: what was cut off, or emptied, would be issued as a token that can be guessed. */
const TOKEN = /^\S{32,}$/;

/** Whether this can be a token, as its file holds it. */
export function isToken(text: string): boolean {
  return TOKEN.test(text.trim());
}

/** What is said of a file that holds none. */
export function noToken(file: string): string {
  return `${file} holds no token (at least 32 characters): put its copy back, or delete it for a new one`;
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
    const token = readFileSync(file, 'utf8').trim();
    if (!isToken(token)) throw new Error(noToken(file));
    const issue = (): Promise<unknown> =>
      commands.execute(new IssueToken(role, role, token, newContext(engine, 'system:first-start')));
    // Once it is issued it is waited for by nobody: views that are being built anew, or a busy machine, delay no start.
    await issue().catch((error: unknown) => (error instanceof Unavailable ? issue() : Promise.reject(error as Error)));
  }
  return made;
}
