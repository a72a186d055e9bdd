import { parsedJson } from '#kernel';
import type { Values } from './calls/call.js';
import { CommandFailure, ExitCode } from './command-failure.js';
import { bytesOf } from './files.js';
import { tell } from './output.js';
import type { Session } from './session.js';
import { show } from './show.js';

/** How far an import is. */
interface Counts {
  readonly lines: number;
  readonly changed: number;
  readonly unchanged: number;
  readonly refused: number;
}

/** What an import has done. */
interface Imported {
  readonly status: 'success';
  readonly refused_count: number;
  readonly refused: readonly object[];
  readonly more_refused?: number;
}

/**
 * Imports a file while it is read (ruling G4). A refused line gives the exit code of a refusal.
 * @throws CommandFailure if the answer breaks off
 */
export async function importFile(session: Session, { file }: Values): Promise<void> {
  const { service, output, interrupted, endWith } = session;
  const reading = readingOf(String(file));
  let imported: Imported | undefined;
  try {
    for await (const text of service.lines('/operators/import', interrupted, reading.bytes)) {
      const line = parsedJson(text) as Imported | { readonly progress: Counts } | undefined;
      if (line === undefined) continue;
      if ('status' in line) imported = line;
      else tell(output, wordsOf(line.progress));
    }
  } catch (error) {
    throw reading.failure() ?? error;
  }
  if (imported?.status !== 'success')
    throw new CommandFailure('The import broke off: send the file again.', ExitCode.unreachable);
  const { refused, ...counts } = imported;
  show(output, imported, {
    fields: { ...counts, status: undefined },
    ...(refused.length > 0 && { columns: ['line', 'kind', 'slug', 'reason'], rows: refused }),
  });
  if (imported.refused_count > 0) endWith(ExitCode.refused);
}

/** The bytes of a file, and why they could not be read: the request only says that it failed. */
function readingOf(file: string): {
  readonly bytes: AsyncIterable<Uint8Array>;
  readonly failure: () => unknown;
} {
  let failure: unknown;
  async function* bytes(): AsyncGenerator<Uint8Array, void, void> {
    try {
      yield* bytesOf(file);
    } catch (error) {
      failure = error;
      throw error;
    }
  }
  return { bytes: bytes(), failure: () => failure };
}

const wordsOf = ({ lines, changed, unchanged, refused }: Counts): string =>
  `read ${lines} lines: ${changed} changed, ${unchanged} unchanged, ${refused} refused`;
