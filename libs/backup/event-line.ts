import type { Position, Recorded } from '#kernel';

/** An event as one line of a segment, and what the segment's entry says of it. */
export interface EventLine {
  readonly position: Position;
  readonly id: string;
  readonly time: number;
  /** JSON without a line feed; its data is the stored text, byte for byte. */
  readonly text: string;
}

/** The columns of an event, with its data as the stored text. */
export interface EventColumns {
  readonly position: Position;
  readonly stream: string;
  readonly revision: number;
  readonly id: string;
  readonly type: string;
  readonly time: number;
  readonly command_id: string;
  readonly correlation: string;
  readonly causation: string | null;
  readonly actor: string;
  readonly data: string;
}

/** Between the columns and the data. No text of JSON has it within quotes. */
const DATA = ',"data":';

/** The line of an event. */
export function eventLine({ data, position, ...columns }: EventColumns): EventLine {
  const head = JSON.stringify({ position: position.toString(), ...columns });
  return { position, id: columns.id, time: columns.time, text: `${head.slice(0, -1)}${DATA}${data}}` };
}

/** The line of an event that a log has read. */
export function lineOf({ position, stream, revision, id, type, data, metadata }: Recorded): EventLine {
  return eventLine({ position, stream, revision, id, type, ...metadata, data: JSON.stringify(data) });
}

/**
 * The columns in a line.
 * @returns undefined if it is no line of an event
 */
export function columnsIn(text: string): EventColumns | undefined {
  const at = text.indexOf(DATA);
  if (at === -1 || !text.endsWith('}')) return undefined;
  try {
    const head = JSON.parse(`${text.slice(0, at)}}`) as Omit<EventColumns, 'position' | 'data'> & {
      readonly position: string;
    };
    return { ...head, position: BigInt(head.position), data: text.slice(at + DATA.length, -1) };
  } catch {
    return undefined;
  }
}
