/** What V8 needs on 64 bits: the heads of a text, an object, a list and a list’s elements, and a number that is no small integer. */
const TEXT = 16;
const OBJECT = 24;
const LIST = 32;
const ELEMENTS = 16;
const NUMBER = 16;
/** A place in an object or a list. */
const PLACE = 8;
/** An entry of a map or a set, beside its key and its value. */
const ENTRY = 36;
/** The object of a typed array, beside its bytes. */
const TYPED = 200;
const SMALL = 2 ** 31;
/** Of JSON, V8 keeps equal texts of so few characters only once. */
const SHARED = 10;

/**
 * About how many bytes of memory a value holds, with everything that it refers to. It looks at each part, so it takes about as
 * long as a copy. A part that the value has twice counts twice.
 */
export function heldBytes(value: unknown): number {
  switch (typeof value) {
    case 'string':
      return bytesOfText(value);
    case 'number':
      return Number.isInteger(value) && value >= -SMALL && value < SMALL ? 0 : NUMBER;
    case 'bigint':
      return NUMBER + PLACE;
    case 'object':
      return value === null ? 0 : bytesOfObject(value);
    default:
      return 0;
  }
}

/** Up to the next multiple of eight bytes. A text with a letter beyond Latin-1 has two bytes for each. */
function bytesOfText(text: string): number {
  if (text.length <= SHARED) return 0;
  const bytes = /[^\0-\xff]/.test(text) ? 2 * text.length : text.length;
  return TEXT + Math.ceil(bytes / PLACE) * PLACE;
}

function bytesOfObject(value: object): number {
  if (Array.isArray(value)) {
    if (value.length === 0) return LIST;
    return value.reduce<number>((sum, each) => sum + PLACE + heldBytes(each), LIST + ELEMENTS);
  }
  if (ArrayBuffer.isView(value)) return TYPED + value.byteLength;
  if (value instanceof Map) {
    let bytes = 2 * LIST;
    for (const [key, each] of value) bytes += ENTRY + heldBytes(key) + heldBytes(each);
    return bytes;
  }
  if (value instanceof Set) {
    let bytes = 2 * LIST;
    for (const each of value) bytes += ENTRY + heldBytes(each);
    return bytes;
  }
  let bytes = OBJECT;
  for (const each of Object.values(value)) bytes += PLACE + heldBytes(each);
  return bytes;
}
