import { type Append, checkAppend, checkBytes, jsonOf } from '#eventsourcing';

/** The server refuses other ids, among them the zero id, and returns capitals as lower case. */
const ID = /^(?!0{8}-)[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/**
 * Refuses what the server cannot store before anything is sent: what is refused here was certainly not written.
 * @throws TypeError | RangeError
 */
export function check(append: Append): void {
  checkAppend(append);
  checkName(append.stream, 'the name of a stream');
  const texts = append.events.map((event) => {
    checkName(event.type, 'the type of an event');
    if (!ID.test(event.id)) throw new TypeError(`the id of an event must be a lower-case UUID, not ${event.id}`);
    return jsonOf(event);
  });
  checkBytes(append.stream, texts);
}

/** Readers skip the server's own streams and events. */
function checkName(name: unknown, what: string): void {
  if (String(name).startsWith('$')) throw new TypeError(`${what} must not begin with $: ${String(name)}`);
}
