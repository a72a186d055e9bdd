/**
 * Finds `api_key` and `access_token` in a query, form or JSON body without parsing it: callers without a credential must not
 * cause work. The time grows with the length alone, and nothing is copied. The result is the one that parsing would give.
 */

import { FORM_BOUNDS } from '#kernel/bounds';
import type { CredentialParameter, Credentials } from './credential-parameters.js';

interface Name {
  readonly name: CredentialParameter;
  readonly bytes: Buffer;
}

const named = (name: CredentialParameter): Name => ({ name, bytes: Buffer.from(name) });
const NAMES = [named('api_key'), named('access_token')];
/** The first letter of every name. */
const FIRST = 0x61;

/** Bytes of a credential, escapes included. A longer one is unknown. */
const LONGEST = 2_048;

/** Stands for a credential that is present but can belong to nobody, such as a number. */
const NOBODYS = '';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const COMMA = 0x2c;
const OPEN = 0x7b;
const CLOSE = 0x7d;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const AMPERSAND = 0x26;
const EQUALS = 0x3d;
const PERCENT = 0x25;

/** The credentials of a query string or a form; none if there are too many parameters. */
export function credentialsInForm(form: Buffer): Credentials {
  const found: Partial<Record<CredentialParameter, string>> = {};
  let parts = 0;
  let start = 0;
  let equals = -1;
  const { length } = form;
  for (let at = 0; at <= length; at += 1) {
    const byte = at === length ? AMPERSAND : form[at];
    if (byte === EQUALS && equals < 0) equals = at;
    if (byte !== AMPERSAND) continue;
    // The parser refuses so many parameters. Then only the head can name the caller.
    if ((parts += 1) > FORM_BOUNDS.parameters) return {};
    const first = form[start];
    if (first === FIRST || first === PERCENT) {
      const name = nameIn(form, start, equals < 0 ? at : equals, PERCENT);
      if (name !== undefined) {
        // Given twice it is a list, which is not a credential.
        found[name] = name in found ? NOBODYS : valueInForm(form, equals < 0 ? at : equals + 1, at);
      }
    }
    start = at + 1;
    equals = -1;
  }
  return found;
}

/** The credentials of a body labelled as a form. It may be JSON, since curl labels it so: a known caller then learns what to send. */
export function credentialsInFormBody(body: Buffer): Credentials {
  return body[blankEnd(body, 0)] === OPEN ? credentialsInJson(body) : credentialsInForm(body);
}

function valueInForm(form: Buffer, from: number, to: number): string {
  if (to - from > LONGEST) return NOBODYS;
  try {
    return decodeURIComponent(form.toString('utf8', from, to).replaceAll('+', ' '));
  } catch {
    return NOBODYS;
  }
}

/** The credentials on the top level of a JSON object; of several with one name the last. */
export function credentialsInJson(json: Buffer): Credentials {
  let at = blankEnd(json, 0);
  if (json[at] !== OPEN) return {};
  // The value is read last, and once: a body may repeat a name many times.
  const colons: Partial<Record<CredentialParameter, number>> = {};
  // Read once: reading it for each byte would cost more than the byte.
  const { length } = json;
  let depth = 1;
  let isNext = true;
  for (at += 1; at < length; at += 1) {
    switch (json[at]) {
      case QUOTE: {
        const end = textEnd(json, at + 1);
        if (depth === 1 && isNext) {
          const name = nameIn(json, at + 1, end, BACKSLASH);
          if (name !== undefined) colons[name] = end + 1;
          isNext = false;
        }
        at = end;
        break;
      }
      case COMMA:
        isNext = true;
        break;
      case OPEN:
      case OPEN_LIST:
        depth += 1;
        break;
      case CLOSE:
      case CLOSE_LIST:
        depth -= 1;
        break;
      default:
    }
  }
  return Object.fromEntries(Object.entries(colons).map(([name, colon]) => [name, valueInJson(json, colon)]));
}

/** The text after the colon. */
function valueInJson(json: Buffer, from: number): string {
  const colon = blankEnd(json, from);
  const start = blankEnd(json, colon + 1);
  if (json[colon] !== COLON || json[start] !== QUOTE) return NOBODYS;
  const end = textEnd(json, start + 1);
  if (end - start > LONGEST) return NOBODYS;
  try {
    return JSON.parse(json.toString('utf8', start, end + 1)) as string;
  } catch {
    return NOBODYS;
  }
}

/** The place of the quote that closes a JSON string. */
function textEnd(json: Buffer, from: number): number {
  const { length } = json;
  let at = from;
  while (at < length && json[at] !== QUOTE) at += json[at] === BACKSLASH ? 2 : 1;
  return at;
}

function blankEnd(json: Buffer, from: number): number {
  let at = from;
  for (let byte = json[at]; byte === 0x20 || (byte !== undefined && byte >= 0x09 && byte <= 0x0d); byte = json[at])
    at += 1;
  return at;
}

/** The credential that is named here, plainly or with escapes such as `%6b` or `\u006b`. */
function nameIn(
  bytes: Buffer,
  from: number,
  to: number,
  escape: typeof PERCENT | typeof BACKSLASH,
): CredentialParameter | undefined {
  for (const { name, bytes: letters } of NAMES) if (isName(letters, bytes, from, to, escape)) return name;
  return undefined;
}

function isName(
  letters: Buffer,
  bytes: Buffer,
  from: number,
  to: number,
  escape: typeof PERCENT | typeof BACKSLASH,
): boolean {
  if (to - from < letters.length) return false;
  const before = escape === PERCENT ? 1 : 2;
  const digits = escape === PERCENT ? 2 : 4;
  let at = from;
  for (let letter = 0; letter < letters.length; letter += 1) {
    let code = bytes[at] ?? 0;
    if (code === escape && (before === 1 || bytes[at + 1] === 0x75)) {
      code = 0;
      for (let digit = 0; digit < digits; digit += 1) code = code * 16 + hex(bytes[at + before + digit] ?? 0);
      at += before + digits;
    } else {
      at += 1;
    }
    if (code !== letters[letter]) return false;
  }
  return at === to;
}

/** The value of a hexadecimal digit; for any other byte a value so large that no sum matches. */
function hex(byte: number): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const letter = byte | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : 0x1_0000;
}
