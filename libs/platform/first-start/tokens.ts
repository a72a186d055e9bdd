import { hash, timingSafeEqual } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { CommandBus } from '@nestjs/cqrs';
import { createSecretFile, type Keyring, type Randomness, Unavailable, type Writer } from '#eventsourcing';
import { IssueToken } from '#operations';
import { noTokenMessage, tokenIn } from './token-file.js';

const ROLES = ['operator', 'auditor'] as const;
type Role = (typeof ROLES)[number];

function fileOf(dataDir: string, role: Role): string {
  return join(dataDir, `${role}.token`);
}

/** The role whose token file has this token; undefined if neither has. A file that is gone, or cannot be read, has none. */
export function roleInFiles(dataDir: string, token: string): Role | undefined {
  return ROLES.find((role) => {
    try {
      const own = tokenIn(fileOf(dataDir, role));
      return own !== undefined && isSame(own, token);
    } catch {
      return false;
    }
  });
}

function isSame(one: string, other: string): boolean {
  return timingSafeEqual(hash('sha256', one, 'buffer'), hash('sha256', other, 'buffer'));
}

/**
 * Makes sure that the two token files exist and that their tokens are issued (ruling G1). It writes the file first: if a start
 * breaks off in between, the next one issues the token that is already in it. APIs that share the folder share its tokens.
 * @returns the files that it made
 * @throws Error that names a file without a token
 */
export async function ensureTokens(
  writer: Writer,
  keyring: Keyring,
  randomness: Randomness,
  commands: CommandBus,
  dataDir: string,
): Promise<readonly string[]> {
  const made: string[] = [];
  for (const role of ROLES) {
    const file = fileOf(dataDir, role);
    if (!existsSync(file)) {
      createSecretFile(file, `${keyring.secret()}\n`, randomness);
      made.push(file);
    }
    const token = tokenIn(file);
    if (token === undefined) throw new Error(noTokenMessage(file));
    const issue = (): Promise<unknown> =>
      commands.execute(new IssueToken(role, role, token, writer.newContext('system:first-start')));
    // The second try may find the token issued. So slow views or a busy machine do not stop the start.
    await issue().catch((error: unknown) => (error instanceof Unavailable ? issue() : Promise.reject(error as Error)));
  }
  return made;
}
