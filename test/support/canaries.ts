import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Texts or bytes that must not appear where they do not belong, by a name that describes them. */
export type Canaries = Readonly<Record<string, string | Buffer>>;

/** Where a canary was found. */
export interface Find {
  readonly canary: string;
  readonly place: string;
  readonly form: string;
}

/**
 * The forms of a text or of bytes: unchanged, as V8 serializes a text, in hexadecimal of both cases, and in base64 and base64url
 * at each of the three offsets within the encoded data; of base64 only the characters that depend on the text alone.
 */
export function formsOf(text: string | Buffer): ReadonlyMap<string, Buffer> {
  const bytes = typeof text === 'string' ? Buffer.from(text) : text;
  const forms = new Map<string, Buffer>([
    ['raw', bytes],
    ...(typeof text === 'string' ? serializedForms(text) : []),
    ['hex', Buffer.from(bytes.toString('hex'))],
    ['HEX', Buffer.from(bytes.toString('hex').toUpperCase())],
  ]);
  for (const shift of [0, 1, 2]) {
    const encoded = Buffer.concat([Buffer.alloc(shift), bytes]);
    for (const encoding of ['base64', 'base64url'] as const) {
      const own = encoded.toString(encoding).slice(Math.ceil((8 * shift) / 6), Math.floor((8 * encoded.length) / 6));
      forms.set(`${encoding}+${shift}`, Buffer.from(own));
    }
  }
  return forms;
}

/** V8 writes a text in Latin-1, or in UTF-16 if it stands beside other letters. */
function serializedForms(text: string): readonly (readonly [form: string, bytes: Buffer])[] {
  const latin = Buffer.from(text, 'latin1');
  const isOther = latin.toString('latin1') === text && !latin.equals(Buffer.from(text));
  return [...(isOther ? [['latin1', latin] as const] : []), ['utf16', Buffer.from(text, 'utf16le')]];
}

/** Every canary in these bytes, in any form. */
export function findIn(place: string, bytes: Buffer, canaries: Canaries): readonly Find[] {
  const finds: Find[] = [];
  for (const [canary, text] of Object.entries(canaries)) {
    for (const [form, needle] of formsOf(text)) if (bytes.includes(needle)) finds.push({ canary, place, form });
  }
  return finds;
}

/** How often the files of a folder are listed again because one of them was gone when it was to be read. */
const TRIES = 20;

/**
 * Every canary in the files of a folder and its subfolders; places are paths in the folder. A service may work in it: it
 * renames a file that it has written, and this may then have its old name, and not its new one.
 */
export function findInFolder(folder: string, canaries: Canaries, tries = TRIES): readonly Find[] {
  try {
    return findInFiles(folder, canaries);
  } catch (error) {
    if ((error as { readonly code?: unknown }).code !== 'ENOENT' || tries === 1) throw error;
    return findInFolder(folder, canaries, tries - 1);
  }
}

function findInFiles(folder: string, canaries: Canaries): readonly Find[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .flatMap((entry) => {
      const path = join(entry.parentPath, entry.name);
      return findIn(path.slice(folder.length + 1), readFileSync(path), canaries);
    });
}
