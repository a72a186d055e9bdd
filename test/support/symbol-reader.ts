import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { prepareZXingModule, readBarcodes } from 'zxing-wasm/reader';

/** The symbols of a picture by kind, each list sorted. */
export interface Symbols {
  readonly qr: readonly string[];
  readonly code128: readonly string[];
}

const wasm = createRequire(import.meta.url).resolve('zxing-wasm/reader/zxing_reader.wasm');
// Without its binary the library would fetch one from the network.
prepareZXingModule({ overrides: { wasmBinary: Uint8Array.from(readFileSync(wasm)).buffer } });

/** All symbols of these two kinds in a PNG. */
export async function zxingSymbols(png: Buffer): Promise<Symbols> {
  const found = await readBarcodes(new Uint8Array(png), { formats: ['QRCode', 'Code128'], maxNumberOfSymbols: 255 });
  const texts = (kind: string): string[] =>
    found
      .filter(({ format }) => format === kind)
      .map(({ text }) => text)
      .toSorted();
  return { qr: texts('QRCode'), code128: texts('Code128') };
}

/** True where zbar's reader is on the PATH. */
export const HAS_ZBAR = spawnSync('zbarimg', ['--version'], { stdio: 'ignore' }).status === 0;

/** Status of a picture without symbols. */
const NONE = 4;

/** The same with another reader. */
export function zbarSymbols(file: string): Symbols {
  const args = ['--quiet', '-Sdisable', '-Sqrcode.enable', '-Scode128.enable', file];
  const { stdout, stderr, status } = spawnSync('zbarimg', args, { encoding: 'utf8' });
  if (status !== 0 && status !== NONE) throw new Error(`zbarimg: ${stderr}`);
  const texts = (kind: string): string[] =>
    stdout
      .split('\n')
      .filter((line) => line.startsWith(kind))
      .map((line) => line.slice(kind.length))
      .toSorted();
  return { qr: texts('QR-Code:'), code128: texts('CODE-128:') };
}
