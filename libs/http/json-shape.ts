/** What a scan of a JSON text finds, without parsing it. Of a text that is not JSON, it means nothing. */
export interface JsonShape {
  /** How deep it is nested. */
  readonly levels: number;
  /** About how many values it has: commas and opening brackets. */
  readonly values: number;
  /** How many names its objects have, repeated ones included. */
  readonly names: number;
  /** Whether a number may have more in its text than a JavaScript number keeps (`SentNumber`). */
  readonly hasOtherNumbers: boolean;
}

/** Digits of a number that a JavaScript number surely keeps. */
const SURE = 15;

/** Scans a JSON text once, character by character: it allocates nothing. */
export function shapeOf(json: string): JsonShape {
  let values = 0;
  let names = 0;
  let depth = 0;
  let levels = 0;
  let hasOtherNumbers = false;
  for (let at = 0; at < json.length; at += 1) {
    const code = json.charCodeAt(at);
    switch (code) {
      case 0x22:
        for (at += 1; at < json.length && json.charCodeAt(at) !== 0x22; at += 1) {
          if (json.charCodeAt(at) === 0x5c) at += 1;
        }
        break;
      case 0x5b:
      case 0x7b:
        depth += 1;
        values += 1;
        if (depth > levels) levels = depth;
        break;
      case 0x5d:
      case 0x7d:
        depth -= 1;
        break;
      case 0x2c:
        values += 1;
        break;
      case 0x3a:
        names += 1;
        break;
      default:
        if (code === 0x2d || isDigit(code)) {
          const end = digitsEnd(json, at + 1);
          const next = json.charCodeAt(end);
          const isNegativeZero = code === 0x2d && json.charCodeAt(at + 1) === 0x30;
          // A point or an exponent follows, or there are many digits.
          if (next === 0x2e || (next | 0x20) === 0x65 || end - at > SURE || isNegativeZero) hasOtherNumbers = true;
          at = end - 1;
        }
    }
  }
  return { levels, values, names, hasOtherNumbers };
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

function digitsEnd(json: string, from: number): number {
  let end = from;
  while (isDigit(json.charCodeAt(end))) end += 1;
  return end;
}

/** How many names the objects of a parsed value have. A text that repeats a name in an object has more. */
export function namesIn(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  let names = 0;
  if (Array.isArray(value)) {
    for (const each of value as readonly unknown[]) names += namesIn(each);
    return names;
  }
  for (const name of Object.keys(value)) {
    names += 1 + namesIn((value as Readonly<Record<string, unknown>>)[name]);
  }
  return names;
}
