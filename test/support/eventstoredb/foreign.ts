import { randomUUID } from 'node:crypto';
import type { Proposed } from './journal.js';
import type { Node } from './node.js';
import type { Store } from './store.js';

/** An event as another application writes it. */
export interface ForeignEvent {
  readonly type: string;
  /** JSON, `null` included; with `bytes` it is the UTF-8 text of a binary event. */
  readonly data?: unknown;
  readonly bytes?: string;
  /** No metadata by default. */
  readonly metadata?: unknown;
  readonly id?: string;
}

const base64 = (text: string): string => Buffer.from(text).toString('base64');

export function foreignEvent({ type, data = {}, bytes, metadata, id = randomUUID() }: ForeignEvent): Proposed {
  return {
    id,
    type,
    contentType: bytes === undefined ? 'application/json' : 'application/octet-stream',
    data: base64(bytes ?? JSON.stringify(data)),
    metadata: metadata === undefined ? '' : base64(JSON.stringify(metadata)),
  };
}

/** Events of such applications: JSON without metadata, binary, null, metadata that is null or of another form. */
const KINDS: readonly ForeignEvent[] = [
  { type: 'OrderPlaced', data: { order: 17, total: '12.50' } },
  { type: 'Measured', bytes: '\u0000\u0001 21.5 °C' },
  { type: 'Heartbeat', data: null },
  { type: 'ShipmentSent', data: { to: 'Boston' }, metadata: null },
  { type: 'UserRenamed', data: { name: 'Ann' }, metadata: { $correlationId: 'c-17', user: 'ann' } },
  { type: 'order-placed.v1', data: 'no object', metadata: 'no object' },
];
const STREAMS = ['order-17', 'sensor-3', 'heartbeats', 'shipment-5', 'user-8', 'shop_order-2'];
/** In milliseconds. */
const EVERY = 20;

/** Writes the nth event of other applications. */
export function appendForeign(store: Store, nth: number): void {
  const [kind, stream] = [KINDS[nth % KINDS.length], STREAMS[(nth * 5) % STREAMS.length]];
  if (kind !== undefined && stream !== undefined) store.append(stream, 'any', [foreignEvent(kind)]);
}

/** Writes the events of other applications that the options ask for, while the node leads. @returns a function that ends it */
export function writeForeign(node: Node): () => void {
  let [due, written, last] = [0, 0, performance.now()];
  const timer = setInterval(() => {
    const now = performance.now();
    due += node.leader() === node ? ((node.options.foreign ?? 0) * (now - last)) / 1_000 : 0;
    for (last = now; written < Math.floor(due); written += 1) {
      const nth = written;
      node.appends.write(() => {
        appendForeign(node.store, nth);
        return () => undefined;
      });
    }
  }, EVERY);
  timer.unref();
  return () => clearInterval(timer);
}
