import { Reader, Writer } from '#eventsourcing';
import type { Engine } from '#platform';

/** Some parts of a process, with the writer and the reader that work on them. What is missing fails when it is used. */
export function engineOf(parts: object): Engine {
  const some = parts as Engine;
  return { ...some, writer: new Writer(some), reader: new Reader(some) };
}
