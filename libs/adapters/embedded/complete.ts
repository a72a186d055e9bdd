import { existsSync, readSync } from 'node:fs';
import { endianness } from 'node:os';
import { withFile } from '#files';

/** A SQLite file or its WAL lacks something that was committed. */
export class IncompleteDatabase extends Error {
  override name = 'IncompleteDatabase';
}

// Offsets in SQLite's files (its file format, sections 1.3 and 4; its WAL-mode file format, section 2).
const HEADER_BYTES = 100;
const PAGE_SIZE_AT = 16;
const CHANGE_COUNTER_AT = 24;
const PAGES_AT = 28;
const PAGES_VALID_FOR_AT = 92;
const WAL_HEADER_BYTES = 32;
const WAL_MAGIC = 0x377f0682;
const SALTS_AT = 16;
const FRAME_HEADER_BYTES = 24;
const INDEX_HEADER_BYTES = 48;
const INDEX_VERSION = 3_007_000;
const LAST_FRAME_AT = 16;
const INDEX_SALTS_AT = 32;
const INDEX_SUMS_AT = 40;
/** Frames per read. */
const FRAMES = 64;

/** What a WAL adds to its file. */
interface WalContent {
  /** Complete frames, committed or not. */
  readonly frames: number;
  /** Pages of the file after the last commit; 0 if there was no commit. */
  readonly pages: number;
  /** The pages that commits have written. */
  readonly written: ReadonlySet<number>;
  readonly salts: Buffer;
}

/**
 * Checks, before SQLite opens the file, that each of its pages is in the file or in its WAL. SQLite takes the rest for all
 * of it, unless it reaches the missing page immediately, and copies the WAL over the file.
 * @throws IncompleteDatabase; UnreadableFile
 */
export function assertComplete(file: string): void {
  const wal = readWal(`${file}-wal`);
  assertUncut(file, wal);
  withFile(file, (fd, { size }) => {
    const header = read(fd, HEADER_BYTES, 0);
    if (header.length < HEADER_BYTES) return;
    const pageSize = pageSizeOf(header.readUInt16BE(PAGE_SIZE_AT));
    const known = header.readUInt32BE(CHANGE_COUNTER_AT) === header.readUInt32BE(PAGES_VALID_FOR_AT);
    const pages = wal !== undefined && wal.pages > 0 ? wal.pages : known ? header.readUInt32BE(PAGES_AT) : 0;
    for (let page = Math.floor(size / pageSize) + 1; page <= pages; page += 1) {
      if (wal?.written.has(page) === true) continue;
      throw new IncompleteDatabase(`its end is cut off: it has ${pages} pages, and page ${page} is missing`);
    }
  });
}

/** If the last process left its shared-memory index, that says how long the WAL was. */
function assertUncut(file: string, wal: WalContent | undefined): void {
  if (wal === undefined || !existsSync(`${file}-shm`)) return;
  const index = withFile(`${file}-shm`, (fd) => read(fd, INDEX_HEADER_BYTES, 0));
  const little = endianness() === 'LE';
  const word = (at: number): number => (little ? index.readUInt32LE(at) : index.readUInt32BE(at));
  if (index.length < INDEX_HEADER_BYTES || word(0) !== INDEX_VERSION) return;
  const sums = summed([0, 0], index.subarray(0, INDEX_SUMS_AT), little);
  if (sums[0] !== word(INDEX_SUMS_AT) || sums[1] !== word(INDEX_SUMS_AT + 4)) return;
  // The index of an earlier WAL says nothing about this one.
  if (!index.subarray(INDEX_SALTS_AT, INDEX_SUMS_AT).equals(wal.salts) || wal.frames >= word(LAST_FRAME_AT)) return;
  throw new IncompleteDatabase(
    `the end of ${file}-wal is cut off: ${wal.frames} of ${word(LAST_FRAME_AT)} pages are left in it`,
  );
}

/** Reads up to the first frame that belongs to another WAL or is incomplete; undefined if there is no WAL or it is empty. */
function readWal(file: string): WalContent | undefined {
  if (!existsSync(file)) return undefined;
  return withFile(file, (fd) => {
    const header = read(fd, WAL_HEADER_BYTES, 0);
    if (header.length < WAL_HEADER_BYTES || (header.readUInt32BE(0) & ~1) >>> 0 !== WAL_MAGIC) return undefined;
    const little = (header.readUInt32BE(0) & 1) === 0;
    const salts = header.subarray(SALTS_AT, SALTS_AT + 8);
    const frameSize = FRAME_HEADER_BYTES + pageSizeOf(header.readUInt32BE(8));
    const written = new Set<number>();
    const waiting: number[] = [];
    let [frames, pages] = [0, 0];
    let sums = summed([0, 0], header.subarray(0, WAL_HEADER_BYTES - 8), little);
    for (;;) {
      const chunk = read(fd, frameSize * FRAMES, WAL_HEADER_BYTES + frames * frameSize);
      for (let at = 0; at + frameSize <= chunk.length; at += frameSize) {
        const frame = chunk.subarray(at, at + frameSize);
        if (!frame.subarray(8, 16).equals(salts)) return { frames, pages, written, salts };
        sums = summed(summed(sums, frame.subarray(0, 8), little), frame.subarray(FRAME_HEADER_BYTES), little);
        if (sums[0] !== frame.readUInt32BE(16) || sums[1] !== frame.readUInt32BE(20)) {
          return { frames, pages, written, salts };
        }
        frames += 1;
        waiting.push(frame.readUInt32BE(0));
        if (frame.readUInt32BE(4) === 0) continue;
        pages = frame.readUInt32BE(4);
        for (const page of waiting.splice(0)) written.add(page);
      }
      if (chunk.length < frameSize * FRAMES) return { frames, pages, written, salts };
    }
  });
}

/** SQLite's checksum of a WAL, continued over more bytes. */
function summed([first, second]: readonly [number, number], bytes: Buffer, little: boolean): [number, number] {
  let [a, b] = [first, second];
  for (let at = 0; at < bytes.length; at += 8) {
    a = (a + (little ? bytes.readUInt32LE(at) : bytes.readUInt32BE(at)) + b) >>> 0;
    b = (b + (little ? bytes.readUInt32LE(at + 4) : bytes.readUInt32BE(at + 4)) + a) >>> 0;
  }
  return [a, b];
}

/** SQLite writes the largest size, which does not fit two bytes, as 1. */
function pageSizeOf(written: number): number {
  return written === 1 ? 65_536 : Math.max(written, 512);
}

/** At most this many bytes from an offset on. */
function read(fd: number, most: number, from: number): Buffer {
  const bytes = Buffer.alloc(most);
  let filled = 0;
  for (let got = 1; got > 0 && filled < most; filled += got)
    got = readSync(fd, bytes, filled, most - filled, from + filled);
  return bytes.subarray(0, filled);
}
