import {
  closeSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readSync,
  renameSync,
  statSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { namedAfter, readWithin, syncFolder, UnwritableFile } from '#files';
import { FILES } from '#kernel/bounds';
import { type Erasure, erasuresText, lineText, readErasures } from './erasures-file.js';

/**
 * The file of erasures of this installation, to which erasures are added. Whatever it has is on disk. Other programs may reach it:
 * before each write it must be as this object left it.
 */
export class KeptErasures {
  private constructor(
    readonly file: string,
    /** How many erasures it has. */
    private length: number,
    /** Its bytes. */
    private size: number,
    private readonly head: string,
    /** Its last line, if it has any. */
    private last: string,
  ) {}

  /**
   * Opens the file, or makes it, readable by its owner only. It cuts off a line that a killed process left unfinished. A file of
   * another installation that has erased nobody is replaced, and so is an empty one.
   * @throws Error for operators if it is damaged, of another installation, or cannot be read or written (UnwritableFile)
   */
  static open(file: string, installation: string): KeptErasures {
    const head = erasuresText({ installation, lines: [] });
    const found = statSync(file, { throwIfNoEntry: false })?.size === 0 ? undefined : readErasures(file);
    if (found?.installation === installation) {
      const { lines } = found;
      const size = (readWithin(file, FILES.erasures)?.lastIndexOf('\n') ?? -1) + 1;
      const last = lines.at(-1);
      const kept = new KeptErasures(file, lines.length, size, head, last === undefined ? '' : lineText(last));
      kept.#write(size, '');
      return kept;
    }
    if (found !== undefined && found.lines.length > 0) {
      throw new Error(
        `${file} has the erasures of another installation: put back the file of this one, or name another ERASURES_FILE`,
      );
    }
    make(file, head);
    return new KeptErasures(file, 0, Buffer.byteLength(head), head, '');
  }

  /** How many erasures it has; the nth has the number n. */
  get count(): number {
    return this.length;
  }

  /** All of them, the oldest first. */
  read(): readonly Erasure[] {
    return readErasures(this.file)?.lines ?? [];
  }

  /**
   * Adds the next erasure.
   * @throws UnwritableFile: then it does not count
   */
  add(line: Erasure): void {
    this.#put(this.size, line);
    this.length += 1;
  }

  /**
   * Puts another erasure in place of the last one, which did not count.
   * @throws UnwritableFile: then the file may have the other one, or no last one
   */
  replaceLast(line: Erasure): void {
    this.#put(this.size - Buffer.byteLength(this.last), line);
  }

  #put(at: number, line: Erasure): void {
    const text = lineText(line);
    this.#write(at, text);
    this.last = text;
    this.size = at + Buffer.byteLength(text);
  }

  /** Puts a text at a place, which is its end from then on. */
  #write(at: number, text: string): void {
    try {
      const descriptor = openSync(this.file, 'r+');
      try {
        this.#check(descriptor);
        writeWhole(descriptor, Buffer.from(text), at);
        ftruncateSync(descriptor, at + Buffer.byteLength(text));
        fsyncSync(descriptor);
      } finally {
        closeSync(descriptor);
      }
    } catch (error) {
      throw namedAfter(this.file, error);
    }
  }

  /** @throws UnwritableFile if somebody else has changed the file */
  #check(descriptor: number): void {
    const { size } = fstatSync(descriptor);
    const { head, last } = this;
    const isOurs = startsAt(descriptor, 0, head) && startsAt(descriptor, this.size - Buffer.byteLength(last), last);
    // Behind the last line there may be one that a killed process left unfinished.
    if (isOurs && size >= this.size) return;
    throw new UnwritableFile(
      this.file,
      'another program has changed it: put it back as it was, or move it away, and restart the service, which writes it again',
      undefined,
    );
  }
}

/** Makes a file that is there as a whole, or not at all. */
function make(file: string, text: string): void {
  const beside = `${file}.tmp`;
  try {
    const descriptor = openSync(beside, 'w', 0o600);
    try {
      writeWhole(descriptor, Buffer.from(text), 0);
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    renameSync(beside, file);
    syncFolder(dirname(file));
  } catch (error) {
    throw namedAfter(file, error);
  }
}

/** Writes all bytes, or none that count: a full disk may take a part of them. */
function writeWhole(descriptor: number, bytes: Buffer, at: number): void {
  try {
    for (let done = 0; done < bytes.length;) {
      done += writeSync(descriptor, bytes, done, bytes.length - done, at + done);
    }
  } catch (error) {
    ftruncateSync(descriptor, at);
    throw error;
  }
}

/** Whether a file has this text at a place. */
function startsAt(descriptor: number, at: number, text: string): boolean {
  const bytes = Buffer.alloc(Buffer.byteLength(text));
  return readSync(descriptor, bytes, 0, bytes.length, at) === bytes.length && bytes.equals(Buffer.from(text));
}
