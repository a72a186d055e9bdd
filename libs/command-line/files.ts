import { createReadStream } from 'node:fs';
import type { Readable } from 'node:stream';
import { parsedJson } from '#kernel';
import { BODY_LIMITS } from '#kernel/bounds';
import { CommandFailure, ExitCode } from './command-failure.js';

/** The bytes of a file, or of the standard input if its name is `-`. Whoever opens it destroys it. */
export const opened = (file: string): Readable => (file === '-' ? process.stdin : createReadStream(file));

/** Why a file cannot be used. */
export const unreadable = (file: string, error: Error): CommandFailure =>
  new CommandFailure(`${file} cannot be read (${error.message}).`, ExitCode.usage);

/**
 * The text of a JSON object in a file, as it stands there: a number that is read and written again may change.
 * @throws CommandFailure if the file has no object, or is too large for the body of a call
 */
export async function objectIn(file: string): Promise<string> {
  const text = await textOf(file);
  const body = parsedJson(text);
  if (typeof body === 'object' && body !== null && !Array.isArray(body)) return text;
  throw new CommandFailure(`${file} has no JSON object.`, ExitCode.usage);
}

async function textOf(file: string): Promise<string> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const piece of opened(file) as AsyncIterable<Uint8Array>) {
      size += piece.length;
      if (size > BODY_LIMITS.deal) break;
      pieces.push(piece);
    }
  } catch (error) {
    throw unreadable(file, error as Error);
  }
  if (size <= BODY_LIMITS.deal) return Buffer.concat(pieces).toString();
  throw new CommandFailure(`${file} is larger than ${BODY_LIMITS.deal} bytes.`, ExitCode.usage);
}
