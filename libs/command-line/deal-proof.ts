import { COMMAND_LINE } from '#kernel/bounds';
import type { Values } from './calls/call.js';
import { CommandFailure, ExitCode } from './command-failure.js';
import { EVENT_COLUMNS } from './event-columns.js';
import { write } from './output.js';
import { requestOf } from './request.js';
import type { Session } from './session.js';
import { writeStream } from './streamed.js';

/** Their routes. */
export const CERTIFICATE = 'GET /auditors/deals/:slug/certificate';
export const DEAL_EVENTS = 'GET /auditors/deals/:slug/events';

/** The columns of a deal's events: an export has no words. */
const COLUMNS = EVENT_COLUMNS.filter((column) => column !== 'words');

/** Shows the certificate of a deal (ruling G7.4). The exit code says its verdict, too. */
export async function showCertificate(
  { service, output, interrupted, endWith }: Session,
  values: Values,
): Promise<void> {
  const { path } = requestOf({ route: CERTIFICATE }, values);
  const lines: string[] = [];
  for await (const line of service.lines(path, interrupted, { wait: COMMAND_LINE.importWait })) lines.push(line);
  const verdict = lines.find((line) => line.startsWith('verdict: '))?.slice('verdict: '.length);
  if (verdict === undefined)
    throw new CommandFailure('The certificate broke off: it is not whole.', ExitCode.unreachable);
  const certificate = `${lines.join('\n')}\n`;
  write(output, { verdict, certificate }, lines.join('\n'), {
    names: ['line'],
    rows: lines.map((line) => ({ line })),
  });
  if (verdict !== 'sound') endWith(ExitCode.refused);
}

/** Writes all events of a deal; as JSON exactly the lines that the certificate covers, for `tools/certificate.py`. */
export async function writeDealEvents({ service, output, interrupted }: Session, values: Values): Promise<void> {
  const lines = service.lines(requestOf({ route: DEAL_EVENTS }, values).path, interrupted);
  await writeStream(output.form === 'json' ? lines : eventsAmong(lines), COLUMNS, output, () => undefined);
}

/** The lines that are events, and the last one: the others only say what belongs together. */
async function* eventsAmong(lines: AsyncIterable<string>): AsyncGenerator<string> {
  for await (const line of lines) if (!/^\{"(export|open|unreadable)":/.test(line)) yield line;
}
