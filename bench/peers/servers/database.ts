import { createReadStream } from 'node:fs';
import process from 'node:process';
import { createInterface } from 'node:readline';
import pg from 'pg';
import type { Orders } from '../child.ts';
import type { Item } from '../peer.ts';

/** What the comparison gave this server. */
export const orders = JSON.parse(process.argv[2] ?? '{}') as Orders;

/** Makes the database of this server. @throws Error unless its commits wait for the disk */
export async function makeDatabase(): Promise<void> {
  const { host, user, database } = orders;
  const client = new pg.Client({ host, user, database: 'postgres' });
  await client.connect();
  for (const setting of ['fsync', 'synchronous_commit', 'full_page_writes']) {
    const { rows } = await client.query<Record<string, string>>(`SHOW ${setting}`);
    if (rows[0]?.[setting] !== 'on') throw new Error(`${setting} is off`);
  }
  await client.query(`CREATE DATABASE ${database}`);
  await client.end();
}

/** The catalogue. */
export async function* items(): AsyncGenerator<Item> {
  for await (const line of createInterface({ input: createReadStream(orders.items) })) yield JSON.parse(line) as Item;
}

/** Does `one` for each item of the catalogue, several at once. */
export async function eachItem(atOnce: number, one: (item: Item) => Promise<unknown>): Promise<void> {
  const rest = items();
  const worker = async (): Promise<void> => {
    for await (const item of rest) await one(item);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}

/** Says that the server is ready, and where. */
export function ready(address: string): void {
  process.stdout.write(`ready at ${address}\n`);
}

/** The server ends with the comparison that started it. */
const parent = process.ppid;
setInterval(() => {
  if (process.ppid !== parent) process.exit();
}, 500).unref();
