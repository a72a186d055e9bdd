import { parsedJson } from '#kernel';
import { COMMAND_LINE } from '#kernel/bounds';
import type { Values } from './calls/call.js';
import { CommandFailure, ExitCode } from './command-failure.js';
import { opened, unreadable } from './files.js';
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
export async function importFile(session: Session, { file, dry_run: dryRun }: Values): Promise<void> {
  const { service, output, interrupted, endWith } = session;
  const stream = opened(String(file));
  let failure: Error | undefined;
  stream.once('error', (error: Error) => (failure = error));
  let imported: Imported | undefined;
  try {
    for await (const text of service.lines(`/operators/import${dryRun === true ? '?dry_run=true' : ''}`, interrupted, {
      lines: stream,
      wait: COMMAND_LINE.importWait,
    })) {
      const line = parsedJson(text) as Imported | { readonly progress: Counts } | undefined;
      if (line === undefined) continue;
      if ('status' in line) imported = line;
      else tell(output, wordsOf(line.progress));
    }
  } catch (error) {
    // The request only says that it failed.
    throw failure === undefined ? error : unreadable(String(file), failure);
  } finally {
    // After a refusal, the program would wait for the end of its standard input.
    stream.destroy();
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

const wordsOf = ({ lines, changed, unchanged, refused }: Counts): string =>
  `read ${lines} lines: ${changed} changed, ${unchanged} unchanged, ${refused} refused`;
