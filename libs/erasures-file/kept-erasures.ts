import { closeSync, fsyncSync, ftruncateSync, openSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { namedAfter, readWithin, syncFolder } from '#files';
import { FILES } from '#kernel/bounds';
import { type Erasure, erasuresText, lineText, readErasures } from './erasures-file.js';

/** The file of erasures of this installation, to which erasures are added. Whatever it has is on disk. */
export class KeptErasures {
  /** The bytes of the whole lines, and of those before the last one. */
  #size: number;
  #beforeLast: number;

  private constructor(
    readonly file: string,
    /** How many erasures it has. */
    private length: number,
    size: number,
    last: Erasure | undefined,
  ) {
    this.#size = size;
    this.#beforeLast = size - (last === undefined ? 0 : Buffer.byteLength(lineText(last)));
  }

  /**
   * Opens the file, or makes it, readable by its owner only. It cuts off a line that a killed process left unfinished. A file of
   * another installation that has erased nobody is replaced.
   * @throws Error for operators if it is damaged, of another installation, or cannot be read or written (UnwritableFile)
   */
  static open(file: string, installation: string): KeptErasures {
    const found = readErasures(file);
    if (found?.installation === installation) {
      const { lines } = found;
      const size = (readWithin(file, FILES.erasures)?.lastIndexOf('\n') ?? -1) + 1;
      const kept = new KeptErasures(file, lines.length, size, lines.at(-1));
      kept.#write(size, '');
      return kept;
    }
    if (found !== undefined && found.lines.length > 0) {
      throw new Error(
        `${file} has the erasures of another installation: put back the file of this one, name another ERASURES_FILE, or, if that installation is gone for good, delete the file`,
      );
    }
    const head = erasuresText({ installation, lines: [] });
    const kept = new KeptErasures(file, 0, Buffer.byteLength(head), undefined);
    kept.#write(0, head);
    return kept;
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
    this.#put(this.#size, line);
    this.length += 1;
  }

  /**
   * Puts another erasure in place of the last one, which did not count.
   * @throws UnwritableFile: then the file may have the other one, or no last one
   */
  replaceLast(line: Erasure): void {
    this.#put(this.#beforeLast, line);
  }

  #put(at: number, line: Erasure): void {
    const text = lineText(line);
    this.#write(at, text);
    this.#beforeLast = at;
    this.#size = at + Buffer.byteLength(text);
  }

  /** Puts a text at a place, which is its end from then on. A write that fails is repeated at the same place. */
  #write(at: number, text: string): void {
    try {
      const descriptor = openSync(this.file, at === 0 ? 'w' : 'r+', 0o600);
      try {
        const bytes = Buffer.from(text);
        writeSync(descriptor, bytes, 0, bytes.length, at);
        ftruncateSync(descriptor, at + bytes.length);
        fsyncSync(descriptor);
      } finally {
        closeSync(descriptor);
      }
      if (at === 0) syncFolder(dirname(this.file));
    } catch (error) {
      throw namedAfter(this.file, error);
    }
  }
}
