import { COMMAND_LINE } from '#kernel/bounds';
import type { Values } from './calls/call.js';
import { CommandFailure, ExitCode } from './command-failure.js';
import { write, writeLine } from './output.js';
import { requestOf } from './request.js';
import type { Session } from './session.js';

/** Its route. */
export const EXPORT = 'GET /operators/users/:id/export';

/** The last characters of a whole export, by its form. */
const ENDS = { json: '}', html: '</html>' } as const;

/**
 * Writes everything that is held about a user (ruling G12): as the service sends it; for spreadsheets an entry in each row.
 * @throws CommandFailure if the answer broke off
 */
export async function writeExport({ service, output, interrupted }: Session, values: Values): Promise<void> {
  const { path } = requestOf({ route: EXPORT }, values);
  const form = values['format'] === 'html' ? 'html' : 'json';
  const lines: string[] = [];
  for await (const line of service.lines(path, interrupted, { wait: COMMAND_LINE.importWait })) lines.push(line);
  const text = lines.join('\n').trimEnd();
  if (!text.endsWith(ENDS[form]))
    throw new CommandFailure('The answer broke off: it is not whole.', ExitCode.unreachable);
  if (form === 'html') return writeLine(output.out, text);
  const exported = JSON.parse(text) as Readonly<Record<string, unknown>>;
  write(output, exported, text, { names: ['part', 'entry'], rows: rowsOf(exported) });
}

function rowsOf(exported: Readonly<Record<string, unknown>>): readonly object[] {
  return Object.entries(exported).flatMap(([part, entries]) =>
    (Array.isArray(entries) ? (entries as unknown[]) : [entries]).map((entry) => ({
      part,
      entry: typeof entry === 'string' ? entry : JSON.stringify(entry),
    })),
  );
}
