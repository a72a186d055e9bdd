import { describe, expect, it } from '@jest/globals';
import { PowerTrace } from './proof.js';

const WAL = '/data/events.db-wal';
const HOLD = { event: 'hold-placed.v1', data: '{"reservation_id":"r-1"' };

/** A page with these rows, as a trace shows it: of each row its type, its time as six bytes, the command's id, and its data. */
const traceOf = (
  ...rows: readonly { readonly type: string; readonly time: number; readonly data: string }[]
): PowerTrace => {
  const page = rows.map(({ type, time, data }) => {
    const bytes = Buffer.alloc(6);
    bytes.writeUIntBE(time, 0, 6);
    return `${type}${bytes.toString('latin1')}01bf092abe72${data}`;
  });
  return new PowerTrace(
    [{ thread: 1, name: 'pwrite64', file: WAL, text: page.join(''), result: 4_096, began: 2, returned: 3 }],
    WAL,
  );
};

describe('a page of the log', () => {
  const data = '{"reservation_id":"r-1","units":1}';

  it('holds an event whose type comes before its data', () => {
    expect(traceOf({ type: 'hold-placed.v1', time: 0x1a216447b21, data }).wroteAfter(1, HOLD)).toBe(true);
    expect(traceOf({ type: 'hold-released.v1', time: 0x1a216447b21, data }).wroteAfter(1, HOLD)).toBe(false);
    expect(traceOf({ type: 'hold-placed.v1', time: 0x1a216447b21, data }).wroteAfter(2, HOLD)).toBe(false);
  });

  it('does not take the type of another row for that of the data', () => {
    const other = { type: 'hold-placed.v1', time: 0x1a216447b21, data: '{"reservation_id":"r-2","units":1}' };
    expect(traceOf(other, { ...other, type: 'hold-released.v1', data }).wroteAfter(1, HOLD)).toBe(false);
  });

  // One millisecond of every 65 s has these bytes at its end.
  it('holds an event whose time has the bytes with which data begin', () => {
    expect(traceOf({ type: 'hold-placed.v1', time: 0x1a216447b22, data }).wroteAfter(1, HOLD)).toBe(true);
  });
});
