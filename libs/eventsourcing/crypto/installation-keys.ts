import { createSecretKey, hkdfSync, type KeyObject } from 'node:crypto';
import { PUT_BACK } from '#files';
import { parsedJson } from '#kernel';
import type { KeyValueStore } from '../ports/key-value-store.js';
import type { Randomness } from '../ports/randomness.js';
import { decrypt, encrypt } from './aes-gcm.js';
import { Keyring, type Keys } from './keyring.js';
import type { MasterKey } from './master-key.js';

/** The entry that holds the keys, wrapped under the master key. */
export const KEYS_ENTRY = 'keys';
const FORMAT = 1;

const USES = ['hash', 'seal', 'url'] as const;

interface WrappedKey {
  readonly use: (typeof USES)[number];
  readonly number: number;
  /** Base64. */
  readonly wrapped: string;
}

/** What a key store knows of its past, before its keys are opened. */
export interface KeyStorePast {
  /** The key store's name in messages. */
  readonly place: string;
  /** What was written under keys, as text. If it is set, no key is ever made. */
  readonly written: string | undefined;
}

/** The key store lacks the keys that everything was written under. */
export class KeysLost extends Error {
  override name = 'KeysLost';
}

/** The keys are wrapped under another master key. */
export class WrongMasterKey extends Error {
  override name = 'WrongMasterKey';
}

/**
 * The keys of the installation, which its key store holds wrapped under the master key. If there are no keys and nothing was
 * ever written under any, this makes them; of several processes one inserts its keys, and all use those.
 * @throws KeysLost, WrongMasterKey, or Error for keys that a newer build wrote
 */
export async function openKeys(
  keyValues: KeyValueStore,
  master: MasterKey,
  past: KeyStorePast,
  randomness: Randomness,
): Promise<Keyring> {
  const known = await keyValues.get(KEYS_ENTRY);
  if (known !== undefined) return unwrapKeys(known, master(false), past.place, randomness);
  const text = firstKeys(master, past, randomness);
  return unwrapKeys(await keyValues.insert(KEYS_ENTRY, text), master(false), past.place, randomness);
}

/**
 * The keys in their entry.
 * @throws WrongMasterKey, or Error if a newer build wrote the entry or it is damaged
 */
export function unwrapKeys(text: string, master: Buffer, place: string, randomness: Randomness): Keyring {
  const wrapping = wrappingKey(master);
  const opened = parse(text, place).map(({ use, number, wrapped }) => {
    const key = decrypt(wrapping, Buffer.from(wrapped, 'base64'), contextOf({ use, number }));
    if (key === undefined) throw wrong(place);
    return { use, number, key };
  });
  const of = (use: WrappedKey['use']): Map<number, Buffer> =>
    new Map(opened.filter((each) => each.use === use).map(({ number, key }) => [number, key]));
  const hash = of('hash').get(0);
  if (hash === undefined) throw damaged(place);
  return Keyring.holding({ hash, seal: of('seal'), url: of('url') }, randomness);
}

/** The entry for these keys. */
export function wrapKeys({ hash, seal, url }: Keys, master: Buffer, randomness: Randomness): string {
  const wrapping = wrappingKey(master);
  const wrap = (use: WrappedKey['use'], number: number, key: Buffer): WrappedKey => {
    const wrapped = encrypt(wrapping, key, contextOf({ use, number }), randomness).toString('base64');
    return { use, number, wrapped };
  };
  const keys = [
    wrap('hash', 0, hash),
    ...[...seal].map(([number, key]) => wrap('seal', number, key)),
    ...[...url].map(([number, key]) => wrap('url', number, key)),
  ];
  return JSON.stringify({ format: FORMAT, keys });
}

/** @throws KeysLost if keys must exist already */
export function assertMayBeMade({ place, written }: KeyStorePast): void {
  if (written === undefined) return;
  throw new KeysLost(
    `${place} has no keys, but ${written}: new keys could not open what exists. ` +
      `Put the copy of ${place} back that belongs to it`,
  );
}

/** A new installation gets random keys. */
function firstKeys(master: MasterKey, past: KeyStorePast, randomness: Randomness): string {
  assertMayBeMade(past);
  const [hash, seal, url] = [randomness.bytes(32), randomness.bytes(32), randomness.bytes(32)];
  return wrapKeys({ hash, seal: new Map([[0, seal]]), url: new Map([[0, url]]) }, master(true), randomness);
}

function parse(text: string, place: string): readonly WrappedKey[] {
  const found = parsedJson(text) as { readonly format?: unknown; readonly keys?: unknown } | null | undefined;
  if (typeof found?.format === 'number' && found.format > FORMAT) {
    throw new Error(
      `the keys in ${place} have the newer format ${found.format}, and this build knows only ${FORMAT}: start the newer build`,
    );
  }
  const keys: unknown = found?.keys;
  if (found?.format !== FORMAT || !Array.isArray(keys) || !keys.every(isWrapped)) throw damaged(place);
  return keys;
}

function isWrapped(value: unknown): value is WrappedKey {
  const { use, number, wrapped } = (value ?? {}) as { readonly [Name in keyof WrappedKey]?: unknown };
  return USES.some((each) => each === use) && Number.isSafeInteger(number) && typeof wrapped === 'string';
}

function damaged(place: string): Error {
  return new Error(`the keys in ${place} are damaged: ${PUT_BACK}`);
}

function wrappingKey(master: Buffer): KeyObject {
  return createSecretKey(Buffer.from(hkdfSync('sha256', master, '', 'holdfast:wrap-keys', 32)));
}

function contextOf({ use, number }: Pick<WrappedKey, 'use' | 'number'>): string {
  return `key:${use}:${number}`;
}

function wrong(place: string): WrongMasterKey {
  return new WrongMasterKey(
    `${place} was written with another MASTER_KEY: set that one, or put its master.key back into the data folder`,
  );
}
