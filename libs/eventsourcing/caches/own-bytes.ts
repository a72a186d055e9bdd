/**
 * These bytes, with their memory for themselves: for what is kept. Node cuts small buffers out of larger slabs, and one that
 * is kept keeps its whole slab.
 */
export function ownBytes(bytes: Uint8Array | string): Buffer {
  if (typeof bytes !== 'string') {
    if (Buffer.isBuffer(bytes) && bytes.buffer.byteLength === bytes.length) return bytes;
    const own = Buffer.allocUnsafeSlow(bytes.length);
    own.set(bytes);
    return own;
  }
  const own = Buffer.allocUnsafeSlow(Buffer.byteLength(bytes));
  own.write(bytes);
  return own;
}
