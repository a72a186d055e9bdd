import { createReadStream } from 'node:fs';
import { parsedJson } from '#kernel';
import { BODY_LIMITS } from '#kernel/bounds';
import type { Values } from './calls/call.js';
import { CommandFailure, ExitCode } from './command-failure.js';

/** The bytes of a file, or of the standard input if its name is `-`. @throws CommandFailure if it cannot be read */
export async function* bytesOf(file: string): AsyncGenerator<Uint8Array, void, void> {
  const stream: AsyncIterable<Uint8Array> = file === '-' ? process.stdin : createReadStream(file);
  try {
    yield* stream;
  } catch (error) {
    throw new CommandFailure(`${file} cannot be read (${(error as Error).message}).`, ExitCode.usage);
  }
}

/** The JSON object in a file. @throws CommandFailure if the file has none, or is too large for the body of a call */
export async function objectIn(file: string): Promise<Values> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of bytesOf(file)) {
    size += piece.length;
    if (size > BODY_LIMITS.deal) {
      throw new CommandFailure(`${file} is larger than ${BODY_LIMITS.deal} bytes.`, ExitCode.usage);
    }
    pieces.push(piece);
  }
  const body = parsedJson(Buffer.concat(pieces).toString());
  if (typeof body === 'object' && body !== null && !Array.isArray(body)) return body as Values;
  throw new CommandFailure(`${file} has no JSON object.`, ExitCode.usage);
}
