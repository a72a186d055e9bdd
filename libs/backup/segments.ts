import type { BackupFolder } from './backup-folder.js';
import type { EventLine } from './event-line.js';
import { type Manifest, NO_SEGMENT, type Segment, segmentPath } from './manifest.js';

/** The most events of a segment, and about the most characters: it ends with the event that reaches one of them. */
export const SEGMENT_EVENTS = 50_000;
export const SEGMENT_CHARACTERS = 16 * 1024 * 1024;

/** Events that wait until a segment is full. */
export class OpenSegment {
  readonly #lines: EventLine[] = [];
  #characters = 0;

  add(line: EventLine): void {
    this.#lines.push(line);
    this.#characters += line.text.length;
  }

  get isFull(): boolean {
    return this.#lines.length >= SEGMENT_EVENTS || this.#characters >= SEGMENT_CHARACTERS;
  }

  get characters(): number {
    return this.#characters;
  }

  get last(): EventLine | undefined {
    return this.#lines.at(-1);
  }

  get count(): number {
    return this.#lines.length;
  }

  /** Takes all events out. */
  take(): readonly EventLine[] {
    this.#characters = 0;
    return this.#lines.splice(0);
  }
}

/** Writes the next segment of a backup. The manifest does not name it yet. */
export async function writeSegment(
  folder: BackupFolder,
  { installation }: Pick<Manifest, 'installation'>,
  lines: readonly EventLine[],
  before: Segment | undefined,
): Promise<Segment> {
  const [first, last] = [lines[0], lines.at(-1)];
  if (first === undefined || last === undefined) throw new RangeError('a segment has an event');
  const number = (before?.number ?? 0) + 1;
  const text = lines.map((line) => `${line.text}\n`).join('');
  const written = await folder.write(installation, segmentPath({ number }), text);
  return {
    number,
    first: first.position.toString(),
    last: last.position.toString(),
    last_id: last.id,
    last_time: last.time,
    count: lines.length,
    ...written,
    previous: before?.sha256 ?? NO_SEGMENT,
  };
}
