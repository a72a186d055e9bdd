import type { Snapshot } from '#eventsourcing/ports';

/** The first line of a snapshot’s file. The bytes of its parts follow. */
interface Head extends Omit<Snapshot, 'position' | 'parts'> {
  /** In digits. */
  readonly position: string;
  /** The bytes of each part. */
  readonly lengths: readonly number[];
}

const LINE_END = '\n'.charCodeAt(0);

/** What a file of the snapshot has, in order. */
export function toFile({ parts, position, ...rest }: Snapshot): readonly Uint8Array[] {
  const head: Head = { ...rest, position: position.toString(), lengths: parts.map(({ byteLength }) => byteLength) };
  return [Buffer.from(`${JSON.stringify(head)}\n`), ...parts];
}

/** The snapshot in a file; undefined if the file does not have all of it. */
export function fromFile(bytes: Buffer): Snapshot | undefined {
  const end = bytes.indexOf(LINE_END);
  const head = end === -1 ? undefined : headIn(bytes.toString('utf8', 0, end));
  if (head === undefined) return undefined;
  const { lengths, position, ...rest } = head;
  let at = end + 1;
  const parts = lengths.map((length) => bytes.subarray(at, (at += length)));
  return at === bytes.length ? { ...rest, position: BigInt(position), parts } : undefined;
}

function headIn(text: string): Head | undefined {
  try {
    const head = JSON.parse(text) as Partial<Head> | null;
    const isHead = Array.isArray(head?.lengths) && /^\d+$/.test(head.position ?? '');
    return isHead ? (head as Head) : undefined;
  } catch {
    // Part of it was never written.
    return undefined;
  }
}
