/**
 * Finds `api_key` in a query, form or JSON body without parsing it: callers without a key must not cause work. The time grows
 * with the length alone, and nothing is copied. The result is the one that parsing would give.
 */

import { FORM_BOUNDS } from '#kernel/bounds';

const NAME = Buffer.from('api_key');

/** Bytes of a key, escapes included. A longer one is unknown. */
const LONGEST = 2_048;

/** Stands for a key that is present but can belong to nobody, such as a number. */
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

/** The key of a query string or a form; undefined if there is none, or if there are too many parameters. */
export function keyInForm(form: Buffer): string | undefined {
  let value = -1;
  let valueEnd = 0;
  let times = 0;
  let parts = 0;
  let start = 0;
  let equals = -1;
  const { length } = form;
  for (let at = 0; at <= length; at += 1) {
    const byte = at === length ? AMPERSAND : form[at];
    if (byte === EQUALS && equals < 0) equals = at;
    if (byte !== AMPERSAND) continue;
    // The parser refuses so many parameters. The head alone tells the caller then.
    if ((parts += 1) > FORM_BOUNDS.parameters) return undefined;
    const first = form[start];
    if ((first === NAME[0] || first === PERCENT) && isName(form, start, equals < 0 ? at : equals, PERCENT)) {
      times += 1;
      [value, valueEnd] = [equals < 0 ? at : equals + 1, at];
    }
    start = at + 1;
    equals = -1;
  }
  // Given twice it is a list, which is not a key.
  if (times === 0) return undefined;
  return times > 1 ? NOBODYS : valueInForm(form, value, valueEnd);
}

/** The key of a body labelled as a form. It may be JSON, since curl labels it so: a known caller then learns what to send. */
export function keyInFormBody(body: Buffer): string | undefined {
  return body[blankEnd(body, 0)] === OPEN ? keyInJson(body) : keyInForm(body);
}

function valueInForm(form: Buffer, from: number, to: number): string {
  if (to - from > LONGEST) return NOBODYS;
  try {
    return decodeURIComponent(form.toString('utf8', from, to).replaceAll('+', ' '));
  } catch {
    return NOBODYS;
  }
}

/** The key on the top level of a JSON object, the last one if there are several; undefined if there is none. */
export function keyInJson(json: Buffer): string | undefined {
  let at = blankEnd(json, 0);
  if (json[at] !== OPEN) return undefined;
  // Read once: reading it for each byte would cost more than the byte.
  const { length } = json;
  let colon = -1;
  let depth = 1;
  let isNext = true;
  for (at += 1; at < length; at += 1) {
    switch (json[at]) {
      case QUOTE: {
        const end = textEnd(json, at + 1);
        if (depth === 1 && isNext) {
          if (isName(json, at + 1, end, BACKSLASH)) colon = end + 1;
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
  return colon < 0 ? undefined : valueInJson(json, colon);
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

/** Whether a name is `api_key`, plain or with escapes such as `%6b` or `\u006b`. */
function isName(bytes: Buffer, from: number, to: number, escape: typeof PERCENT | typeof BACKSLASH): boolean {
  if (to - from < NAME.length) return false;
  const before = escape === PERCENT ? 1 : 2;
  const digits = escape === PERCENT ? 2 : 4;
  let at = from;
  for (let letter = 0; letter < NAME.length; letter += 1) {
    let code = bytes[at] ?? 0;
    if (code === escape && (before === 1 || bytes[at + 1] === 0x75)) {
      code = 0;
      for (let digit = 0; digit < digits; digit += 1) code = code * 16 + hex(bytes[at + before + digit] ?? 0);
      at += before + digits;
    } else {
      at += 1;
    }
    if (code !== NAME[letter]) return false;
  }
  return at === to;
}

/** The value of a hexadecimal digit; for any other byte a value so large that no sum matches. */
function hex(byte: number): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const letter = byte | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : 0x1_0000;
}
