import { EVENT_COLUMNS } from './event-columns.js';
import { tell } from './output.js';
import { printable } from './printable.js';
import { queryOf } from './request.js';
import type { Session } from './session.js';
import { writeStream } from './streamed.js';
import type { Values } from './calls/call.js';

/** How far the service has read the log. */
interface ReadSoFar {
  readonly position: string;
  readonly events: number;
  readonly read: number;
}

/** Reads events of the log, one per line (ruling G7). */
export async function readLog({ service, output, interrupted }: Session, values: Values): Promise<void> {
  const lines = service.lines(`/auditors/log?${queryOf(values)}`, interrupted);
  const { events, read, position } = (await writeStream(lines, EVENT_COLUMNS, output, (progress) => {
    const { read: sofar, position: at } = progress as ReadSoFar;
    tell(output, `read ${sofar} events, up to position ${at}`);
  })) as ReadSoFar;
  output.err.write(printable(`${events} of ${read} events, up to position ${position}\n`));
}
