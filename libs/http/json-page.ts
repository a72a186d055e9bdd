import type { FastifyReply } from 'fastify';

/** A page of items that are JSON already. */
export interface JsonPage {
  /** The fields of the answer before the items, such as its status. */
  readonly before: object;
  /** The field with the items. */
  readonly name: string;
  readonly items: readonly Buffer[];
  /** The fields after them. */
  readonly after: object;
}

const COMMA = 0x2c;
const END = Buffer.from('}');

/** Answers with bytes that are JSON. */
export function sendJson(reply: FastifyReply, json: Buffer): Buffer {
  void reply.type('application/json; charset=utf-8');
  return json;
}

/** Makes the bytes of `{ ...before, [name]: item }` as JSON, of items that are JSON already. */
export function jsonAround(before: object, name: string): (item: Buffer) => Buffer {
  const first = Buffer.from(beginning(before, name));
  return (item) => Buffer.concat([first, item, END]);
}

/** The bytes of a page as JSON: exactly those of `{ ...before, [name]: items, ...after }`. */
export function jsonOfPage({ before, name, items, after }: JsonPage): Buffer {
  const behind = fieldsOf(after);
  const head = `${beginning(before, name)}[`;
  const tail = `]${behind === '' ? '' : ','}${behind}}`;
  const [first, last] = [Buffer.from(head), Buffer.from(tail)];
  const commas = Math.max(0, items.length - 1);
  const bytes = Buffer.allocUnsafe(items.reduce((sum, item) => sum + item.length, first.length + commas + last.length));
  bytes.set(first);
  let at = first.length;
  for (const [nth, item] of items.entries()) {
    if (nth > 0) bytes[at++] = COMMA;
    bytes.set(item, at);
    at += item.length;
  }
  bytes.set(last, at);
  return bytes;
}

/** An object up to the value of the field `name`. */
function beginning(before: object, name: string): string {
  const fields = fieldsOf(before);
  return `{${fields}${fields === '' ? '' : ','}${JSON.stringify(name)}:`;
}

/** The fields of an object as JSON, without its braces. */
function fieldsOf(object: object): string {
  return JSON.stringify(object).slice(1, -1);
}
