import { AppendRefused, type CommandContext, Slices, Unavailable, withCallDeadline } from '#eventsourcing';
import { answerTo, Refused } from '#http';
import { beginning, type Position } from '#kernel';
import { BUSY_LINE, MOST_REFUSED_LINES } from '#kernel/bounds';
import {
  readLine,
  subjectOf,
  type ImportLine,
  type ImportParts,
  type Kind,
  type LineSubject,
  type Send,
} from './import-line.js';
import { ndjsonLines, type NdjsonLine } from './ndjson-lines.js';

/** The progress of an import. */
export interface ImportCounts {
  /** Lines that are not empty. */
  lines: number;
  changed: number;
  unchanged: number;
  refused: number;
}

/** Characters of a reason. */
const LONGEST_REASON = 1_000;

export interface RefusedLine extends LineSubject {
  /** From 1. */
  readonly line: number;
  readonly reason: string;
}

/** What a line has done, or would do. */
interface LineDone {
  readonly changes: boolean;
  /** The position that it wrote. */
  readonly position?: Position | undefined;
}

/** Carries a line out. */
export type CarryOut = (line: ImportLine, context: CommandContext) => Promise<LineDone>;

/** Runs lines. */
export const running: CarryOut = async (line, context) => {
  const position = await line.run(context);
  return { changes: position !== undefined, position };
};

/**
 * Decides lines, and writes nothing. What an accepted line makes counts for later ones; a later line about the same new thing is
 * checked for its form alone.
 */
export function rehearsing(): CarryOut {
  const coming = new Set<string>();
  const isComing = (subject: string): boolean => coming.has(subject);
  return async (line, context) => {
    if (isComing(line.subject)) return { changes: true };
    const changes = await line.rehearse(context, isComing);
    if (changes) coming.add(line.subject);
    return { changes };
  };
}

/** How many lines run at a time: they share the log's syncs. */
const TOGETHER = 256;

/**
 * Runs the lines of one import (ruling G4). Many run at a time, but lines about the same thing run one after another, and all
 * lines of a kind before the next kind: a deal needs its region. A refused line does not stop the others.
 */
export class Importer {
  readonly counts: ImportCounts = { lines: 0, changed: 0, unchanged: 0, refused: 0 };
  /** The changed lines of each kind. */
  readonly changed: Record<Kind, number> = { region: 0, deal: 0, partner: 0, user: 0 };
  /** Is true once every line has run or was refused. */
  isWhole = false;
  /** The first refused lines, in order. */
  readonly refused: RefusedLine[] = [];
  /** The last position that the import wrote. */
  position: Position | undefined;
  /** Resolves when the first line has arrived. */
  readonly begun: Promise<void>;
  #begin: () => void = () => undefined;
  readonly #running = new Map<string, Promise<void>>();
  #kind: Kind | undefined;
  #noted: Promise<void> | undefined;
  /** Wakes the reader when a running line has ended. */
  #freed: () => void = () => undefined;

  constructor(
    private readonly parts: ImportParts,
    private readonly bus: Send,
    private readonly caller: Pick<CommandContext, 'actor' | 'correlation'>,
    private readonly carryOut: CarryOut = running,
    /** Runs once, when the first line has changed something. */
    private readonly whenChanged: () => Promise<void> = () => Promise.resolve(),
  ) {
    this.begun = new Promise((resolve) => (this.#begin = resolve));
  }

  /**
   * Runs all lines. Resolves when every line has run or was refused.
   * @param length the Content-Length, if the request has one
   * @throws Refused if the body has no line, for example because the file name was wrong
   * @throws Error if another number of bytes was read: an import reports only on a whole file
   */
  async run(body: AsyncIterable<Buffer>, length: number | undefined): Promise<void> {
    const slices = new Slices(this.parts.time);
    let bytes = 0;
    const taken = (count: number): void => void (bytes += count);
    for await (const line of ndjsonLines(body, taken)) {
      // Refused lines never wait, so the writer must pause.
      if (slices.isOver) await slices.next();
      this.counts.lines += 1;
      this.#begin();
      const read = this.#read(line);
      if (read === undefined) continue;
      if (read.kind !== this.#kind) await this.#rest();
      this.#kind = read.kind;
      await this.#running.get(read.subject);
      while (this.#running.size >= TOGETHER) await new Promise<void>((resolve) => (this.#freed = resolve));
      const done = this.#carryOut(line.number, read).finally(() => {
        this.#running.delete(read.subject);
        this.#freed();
      });
      this.#running.set(read.subject, done);
    }
    await this.#rest();
    if (length !== undefined && bytes !== length) throw new Error(`${bytes} of the body's ${length} bytes were read`);
    if (this.counts.lines === 0)
      throw new Refused(400, 'validation_failed', 'the body has no lines: send one JSON object per line');
    this.refused.sort((a, b) => a.line - b.line);
    this.isWhole = true;
  }

  #read({ number, text, fault }: NdjsonLine): ImportLine | undefined {
    if (fault !== undefined) {
      this.#refuse(number, fault, {});
      return undefined;
    }
    try {
      return readLine(text, this.parts, this.bus);
    } catch (error) {
      this.#refuse(number, reasonOf(error), subjectOf(text));
      return undefined;
    }
  }

  async #carryOut(number: number, line: ImportLine): Promise<void> {
    const context = { ...this.parts.writer.newContext(this.caller.actor), correlation: this.caller.correlation };
    for (let tries = 1; ; tries += 1) {
      try {
        const { changes, position } = await withCallDeadline(this.parts.time, () => this.carryOut(line, context));
        if (!changes) this.counts.unchanged += 1;
        else {
          this.counts.changed += 1;
          this.changed[line.kind] += 1;
          await (this.#noted ??= this.whenChanged());
        }
        if (position !== undefined && position > (this.position ?? 0n)) this.position = position;
        return;
      } catch (error) {
        if (!(error instanceof Unavailable) || error instanceof AppendRefused || tries === BUSY_LINE.times) {
          const { kind, slug } = line;
          this.#refuse(number, reasonOf(error), { kind, ...(slug !== undefined && { slug }) });
          return;
        }
        await this.parts.time.pause(BUSY_LINE.pause);
      }
    }
  }

  #refuse(line: number, reason: string, about: LineSubject): void {
    this.counts.refused += 1;
    if (this.refused.length === MOST_REFUSED_LINES) return;
    this.refused.push({ line, ...about, reason: beginning(reason, LONGEST_REASON) });
  }

  async #rest(): Promise<void> {
    await Promise.all(this.#running.values());
  }
}

/** The reason that a call would have given: every fault with its field. */
function reasonOf(error: unknown): string {
  const { errors, error_msg } = answerTo(error).body;
  if (errors === undefined) return error_msg;
  return errors.map(({ field, message }) => (field === undefined ? message : `${field} ${message}`)).join('; ');
}
