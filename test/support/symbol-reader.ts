import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { prepareZXingModule, readBarcodes } from 'zxing-wasm/reader';

/** The symbols of a picture, by kind, each list in order of its text. */
export interface Symbols {
  readonly qr: readonly string[];
  readonly code128: readonly string[];
}

const wasm = createRequire(import.meta.url).resolve('zxing-wasm/reader/zxing_reader.wasm');
// Without its binary it would fetch one from the network.
prepareZXingModule({ overrides: { wasmBinary: Uint8Array.from(readFileSync(wasm)).buffer } });

/** All symbols of these two kinds in a PNG, be they as many as they may. */
export async function zxingSymbols(png: Buffer): Promise<Symbols> {
  const found = await readBarcodes(new Uint8Array(png), { formats: ['QRCode', 'Code128'], maxNumberOfSymbols: 255 });
  return symbols(
    found.map(({ format, text }) => ({ kind: format, text })),
    { qr: 'QRCode', code128: 'Code128' },
  );
}

/** True where zbar's reader is on the PATH. */
export const HAS_ZBAR = spawnSync('zbarimg', ['--version'], { stdio: 'ignore' }).status === 0;

/** Status of a picture without symbols. */
const NONE = 4;

/** The same by another reader, which looks for symbols of all kinds: any that are neither are an error. */
export function zbarSymbols(file: string): Symbols {
  const { stdout, stderr, status } = spawnSync('zbarimg', ['--quiet', file], { encoding: 'utf8' });
  if (status !== 0 && status !== NONE) throw new Error(`zbarimg: ${stderr}`);
  const found = stdout
    .trim()
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => ({ kind: line.slice(0, line.indexOf(':')), text: line.slice(line.indexOf(':') + 1) }));
  return symbols(found, { qr: 'QR-Code', code128: 'CODE-128' });
}

function symbols(
  found: readonly { readonly kind: string; readonly text: string }[],
  kinds: { readonly qr: string; readonly code128: string },
): Symbols {
  const stray = found.filter(({ kind }) => kind !== kinds.qr && kind !== kinds.code128);
  if (stray.length > 0) throw new Error(`other symbols were read: ${JSON.stringify(stray)}`);
  const texts = (wanted: string): string[] =>
    found
      .filter(({ kind }) => kind === wanted)
      .map(({ text }) => text)
      .toSorted();
  return { qr: texts(kinds.qr), code128: texts(kinds.code128) };
}
