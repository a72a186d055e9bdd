import { Refused } from './errors.js';

/** The content type of an answer in JSON. */
export const JSON_TYPE = 'application/json; charset=utf-8';
/** The content type of lines of JSON. */
export const NDJSON = 'application/x-ndjson';
/** The content type of comma-separated values. */
export const CSV = 'text/csv';
/** The content type of an answer that is text for people. */
export const PLAIN_TEXT = 'text/plain; charset=utf-8';

/** Refuses a body of lines with any other content type. */
export function ndjsonRequired(): Refused {
  const words = `send lines of JSON with Content-Type: ${NDJSON} (curl: --data-binary @<file>, which keeps the lines apart)`;
  return new Refused(415, 'validation_failed', words);
}
