import { type Instant, type Position, utcTime } from '#kernel';
import type { BackupFolder } from './backup-folder.js';
import { BackupRefused, damaged } from './damaged.js';
import { columnsIn, type EventColumns } from './event-line.js';
import { type KnownErasures, knownErasures } from './known-erasures.js';
import { BACKUP_FILE, type Copy, type Manifest, NO_SEGMENT, type Segment, segmentPath, statePath } from './manifest.js';
import type { KeptLine } from './state-line.js';
import { eventIn } from './take-backup.js';
import { readTail } from './tail.js';

/** The last event of a copy. */
export interface EndOfCopy {
  readonly position: Position;
  readonly id: string;
  readonly time: Instant;
}

/** A copy in a backup that is read. */
export class ReadBackup {
  private constructor(
    private readonly folder: BackupFolder,
    readonly manifest: Manifest,
    readonly copy: Copy,
    private readonly segments: readonly Segment[],
    /** What follows the copy, if it is the newest one. */
    private readonly tail: { readonly events: readonly string[]; readonly kept: readonly KeptLine[] },
    /** The erasures that the backup knows, also of newer copies. */
    readonly known: KnownErasures,
  ) {}

  /**
   * Opens a copy, and compares every file that belongs to it with its checksum.
   * @param at the copy's name, or the moment before which it was taken; undefined: the newest one
   * @param checked called with the part of all bytes that is checked
   * @throws BackupRefused that names the file which is not whole
   */
  static async open(
    folder: BackupFolder,
    at: string | undefined,
    checked: (done: number, of: number) => void = () => undefined,
  ): Promise<ReadBackup> {
    const manifest = folder.manifest();
    if (manifest === undefined) {
      throw new BackupRefused(`${folder.fileOf(BACKUP_FILE)} is missing: name the folder of a backup`);
    }
    const copy = copyAt(folder, manifest, at);
    const segments = manifest.segments.slice(0, copy.segments);
    checkChain(folder, copy, segments);
    const files = [
      ...segments.map((segment) => [segmentPath(segment), segment] as const),
      ...copy.state.map((file) => [statePath(copy, file.number), file] as const),
    ];
    const of = files.reduce((sum, [, { bytes }]) => sum + bytes, 0);
    let done = 0;
    for (const [path, known] of files) {
      folder.stored(path, known);
      checked((done += known.bytes), of);
    }
    const events: string[] = [];
    const kept: KeptLine[] = [];
    if (manifest.tail?.copy === copy.name) {
      const last = segments.at(-1);
      for (const text of (await readTail(folder, manifest.installation, manifest.tail.number)).flat()) {
        const event = eventIn(text);
        if (event === undefined) kept.push(JSON.parse(text) as KeptLine);
        else if (last === undefined || event.position > BigInt(last.last)) events.push(text);
      }
    }
    const known = await knownErasures(folder, manifest, copy);
    return new ReadBackup(folder, manifest, copy, segments, { events, kept }, known);
  }

  /** The last event; undefined if there is none. */
  get end(): EndOfCopy | undefined {
    const text = this.tail.events.at(-1);
    const event = text === undefined ? undefined : eventIn(text);
    if (event !== undefined) return event;
    const last = this.segments.at(-1);
    return last && { position: BigInt(last.last), id: last.last_id, time: last.last_time };
  }

  /** How many events it has. */
  get events(): number {
    return this.segments.reduce((sum, { count }) => sum + count, 0) + this.tail.events.length;
  }

  /**
   * The events in the order of the log, segment by segment.
   * @throws BackupRefused if a segment has other events than its entry says
   */
  async *eventParts(): AsyncGenerator<readonly EventColumns[], void, void> {
    let last: EventColumns | undefined;
    for (const segment of this.segments) {
      const path = segmentPath(segment);
      const text = (await this.folder.read(this.manifest.installation, path, segment)).toString();
      const events = columnsOf(this.folder.fileOf(path), text.split('\n').slice(0, -1), last);
      const [first, end] = [events[0], events.at(-1)];
      const fits =
        events.length === segment.count &&
        first?.position === BigInt(segment.first) &&
        end?.position === BigInt(segment.last) &&
        end.id === segment.last_id;
      if (!fits) throw damaged(this.folder.fileOf(path), 'has other events than it must');
      last = end;
      yield events;
    }
    if (this.tail.events.length > 0) yield columnsOf(this.folder.path, this.tail.events, last);
  }

  /** What is kept beside the log, in parts: a later line replaces an earlier one of its name. @throws BackupRefused */
  async *keptParts(): AsyncGenerator<readonly KeptLine[], void, void> {
    const { installation } = this.manifest;
    for (const file of this.copy.state) {
      const path = statePath(this.copy, file.number);
      const text = (await this.folder.read(installation, path, file)).toString();
      yield text
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line) as KeptLine);
    }
    if (this.tail.kept.length > 0) yield this.tail.kept;
  }
}

function copyAt(folder: BackupFolder, { copies }: Manifest, at: string | undefined): Copy {
  const before = at === undefined ? Infinity : Date.parse(at);
  const copy = copies.find(({ name }) => name === at) ?? copies.findLast((each) => each.at <= before);
  if (copy !== undefined) return copy;
  const known = copies.map((each) => `${each.name} (${utcTime(each.at)})`).join(', ');
  throw new BackupRefused(
    copies.length === 0
      ? `${folder.path} has no whole copy yet: its first run broke off. Run \`holdfast backup\` again, if the service is still there`
      : `${folder.path} has no copy ${at}: it has ${known}`,
  );
}

/** Segments are numbered, and each names the one before it. */
function checkChain(folder: BackupFolder, copy: Copy, segments: readonly Segment[]): void {
  const file = folder.fileOf(BACKUP_FILE);
  if (segments.length !== copy.segments) throw damaged(file, `names ${segments.length} of ${copy.segments} segments`);
  for (const [at, segment] of segments.entries()) {
    if (segment.number !== at + 1 || segment.previous !== (segments[at - 1]?.sha256 ?? NO_SEGMENT)) {
      throw damaged(file, `names another segment ${at + 1} than the one that follows segment ${at}`);
    }
  }
}

function columnsOf(
  file: string,
  texts: readonly string[],
  before: Pick<EventColumns, 'position'> | undefined,
): readonly EventColumns[] {
  let last = before?.position ?? 0n;
  return texts.map((text) => {
    const columns = columnsIn(text);
    if (columns === undefined) throw damaged(file, 'has a line that is no event');
    if (columns.position <= last) throw damaged(file, `has the event at position ${columns.position} out of order`);
    last = columns.position;
    return columns;
  });
}
