import { isIPv6 } from 'node:net';

export type MmdbValue = string | number | { readonly [name: string]: MmdbValue };

/** A node has a branch for the bit 0 and one for 1: to another node, to a record, or nowhere. */
interface Node {
  readonly ways: [Node | Leaf | null, Node | Leaf | null];
}
interface Leaf {
  /** Where the record begins in the data section. */
  readonly offset: number;
}

/** Bits of each of the two records of a node. */
const RECORD_SIZE = 24;
const SEPARATOR = Buffer.alloc(16);
const METADATA = Buffer.concat([Buffer.from([0xab, 0xcd, 0xef]), Buffer.from('MaxMind.com')]);

/**
 * The bytes of an MMDB file (format 2.0): a binary search tree over the bits of addresses, the records, the metadata.
 * @param networks such as `192.0.2.0/24` or `2001:db8::/32`, none within another
 * @param ipVersion of the tree; in one of version 6 an address of version 4 is the last 32 bits of 128
 */
export function mmdb(networks: Readonly<Record<string, MmdbValue>>, ipVersion: 4 | 6 = 6): Buffer {
  const root: Node = { ways: [null, null] };
  const records: Buffer[] = [];
  let offset = 0;
  for (const [network, record] of Object.entries(networks)) {
    plant(root, prefixOf(network, ipVersion), { offset });
    const bytes = encode(record);
    records.push(bytes);
    offset += bytes.length;
  }
  const nodes = nodesFrom(root);
  const metadata = map({
    binary_format_major_version: uint(5, 2),
    binary_format_minor_version: uint(5, 0),
    build_epoch: uint(9, 1_700_000_000),
    database_type: encode('Test-City'),
    description: encode({ en: 'made by a test' }),
    ip_version: uint(5, ipVersion),
    languages: control(11, 0),
    node_count: uint(6, nodes.length),
    record_size: uint(5, RECORD_SIZE),
  });
  return Buffer.concat([tree(nodes), SEPARATOR, ...records, METADATA, metadata]);
}

function plant(root: Node, bits: readonly number[], leaf: Leaf): void {
  let node = root;
  for (const [index, bit] of bits.entries()) {
    if (index === bits.length - 1) {
      node.ways[bit as 0 | 1] = leaf;
      return;
    }
    const next = (node.ways[bit as 0 | 1] ??= { ways: [null, null] });
    if (!('ways' in next)) throw new Error('a network lies within another');
    node = next;
  }
}

/** The root first. */
function nodesFrom(root: Node): readonly Node[] {
  const nodes = [root];
  for (const node of nodes) nodes.push(...node.ways.filter((way): way is Node => way !== null && 'ways' in way));
  return nodes;
}

/** A branch with the number of nodes leads nowhere; records come after it, offset by the separator's length. */
function tree(nodes: readonly Node[]): Buffer {
  const numbers = new Map(nodes.map((node, index) => [node, index]));
  const bytes = Buffer.alloc((nodes.length * RECORD_SIZE * 2) / 8);
  for (const [index, way] of nodes.flatMap(({ ways }) => ways).entries()) {
    let target = nodes.length;
    if (way !== null) target = 'ways' in way ? (numbers.get(way) ?? NaN) : nodes.length + SEPARATOR.length + way.offset;
    bytes.writeUIntBE(target, (index * RECORD_SIZE) / 8, RECORD_SIZE / 8);
  }
  return bytes;
}

function prefixOf(network: string, ipVersion: 4 | 6): readonly number[] {
  const [address = '', length = ''] = network.split('/');
  const bytes = isIPv6(address) ? bytesOf6(address) : address.split('.').map(Number);
  const padding = ipVersion === 6 && bytes.length === 4 ? 12 : 0;
  const all = [...new Array<number>(padding).fill(0), ...bytes];
  const bits = all.flatMap((byte) => [7, 6, 5, 4, 3, 2, 1, 0].map((bit) => (byte >> bit) & 1));
  return bits.slice(0, padding * 8 + Number(length));
}

function bytesOf6(address: string): number[] {
  const [front = '', back = ''] = address.split('::');
  const groups = (part: string): number[] => (part === '' ? [] : part.split(':').map((group) => parseInt(group, 16)));
  const zeros = new Array<number>(8 - groups(front).length - groups(back).length).fill(0);
  return [...groups(front), ...zeros, ...groups(back)].flatMap((group) => [group >> 8, group & 0xff]);
}

function encode(value: MmdbValue): Buffer {
  if (typeof value === 'string') return Buffer.concat([control(2, Buffer.byteLength(value)), Buffer.from(value)]);
  if (typeof value === 'object') return map(Object.fromEntries(Object.entries(value).map(([n, v]) => [n, encode(v)])));
  const double = Buffer.alloc(8);
  double.writeDoubleBE(value);
  return Buffer.concat([control(3, 8), double]);
}

function map(entries: Readonly<Record<string, Buffer>>): Buffer {
  const parts = Object.entries(entries).flatMap(([name, value]) => [encode(name), value]);
  return Buffer.concat([control(7, Object.keys(entries).length), ...parts]);
}

/** An unsigned integer of a type (5: 16 bits, 6: 32, 9: 64), in four bytes, which are enough here, or in two for 16 bits. */
function uint(type: 5 | 6 | 9, value: number): Buffer {
  const bytes = Buffer.alloc(type === 5 ? 2 : 4);
  bytes.writeUIntBE(value, 0, bytes.length);
  return Buffer.concat([control(type, bytes.length), bytes]);
}

/** The byte with type and size, which is below 29 here; types from 8 on have a byte of their own. */
function control(type: number, size: number): Buffer {
  return Buffer.from(type <= 7 ? [(type << 5) | size] : [size, type - 7]);
}
