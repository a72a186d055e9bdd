import type { ListCall, Values } from './calls/call.js';
import { tell } from './output.js';
import { printable } from './printable.js';
import { requestOf } from './request.js';
import type { Session } from './session.js';
import { show } from './show.js';
import { writeStream } from './streamed.js';

/** A part of a list, with the list under a name of its own. */
interface PartOfList {
  readonly examined: number;
  readonly next: string | null;
}

/** How far the service is with a list. */
interface Examined {
  readonly found: number;
  readonly examined: number;
}

/** Shows one part of a list, and how to see the rest. */
export async function listPart(call: ListCall, { service, output }: Session, values: Values): Promise<void> {
  const { method, path } = requestOf(call, values);
  const answer = await service.ask<PartOfList>(method, path);
  const { [call.key]: rows = [] } = answer as unknown as Readonly<Record<string, readonly object[]>>;
  const { next } = answer;
  const more = `There are more: go on with --after ${next ?? ''}, or see all with --all.`;
  show(output, answer, { columns: call.columns, rows, ...(next !== null && { next: more }) });
}

/** Writes a whole list as its rows come. @throws CommandFailure if it breaks off */
export async function listAll(call: ListCall, session: Session, values: Values): Promise<void> {
  const { service, output, interrupted } = session;
  const { path } = requestOf(call, { ...values, format: 'ndjson' });
  const end = await writeStream(service.lines(path, interrupted), call.columns, output, (progress) => {
    const { examined, found } = progress as Examined;
    tell(output, `${found} found, ${examined} examined`);
  });
  const { found, examined } = end as Examined;
  if (output.form !== 'json') output.err.write(printable(`${found} found, ${examined} examined\n`));
}
