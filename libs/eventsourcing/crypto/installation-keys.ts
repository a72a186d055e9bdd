import { createSecretKey, hkdfSync, type KeyObject } from 'node:crypto';
import { PUT_BACK } from '#files';
import { parsedJson } from '#kernel';
import type { KeyValueStore } from '../ports/key-value-store.js';
import type { Randomness } from '../ports/randomness.js';
import { decrypt, encrypt } from './aes-gcm.js';
import { type KeyChange, Keyring, type Keys } from './keyring.js';
import type { MasterKey } from './master-key.js';

/** The entry that holds the keys, wrapped under the master key. */
export const KEYS_ENTRY = 'keys';
/** The format of keys of which none changes: every build reads it. */
const FORMAT = 1;
/** The format while a rotation is under way: with `change`, or with `next`. */
const CHANGING = 2;

const USES = ['hash', 'seal', 'url'] as const;

interface WrappedKey {
  readonly use: (typeof USES)[number];
  readonly number: number;
  /** Base64. */
  readonly wrapped: string;
}

/** The entry, as it is stored. */
interface Entry {
  /** Under the master key. */
  readonly keys: readonly WrappedKey[];
  /** The same keys under the master key that follows; absent while none does. */
  readonly next: readonly WrappedKey[] | undefined;
  readonly change: KeyChange | undefined;
}

/** The keys of an entry, opened. */
export interface OpenedKeys {
  readonly keys: Keys;
  /** Whether the entry has the keys under a second master key too. */
  readonly hasNext: boolean;
  /** Whether this master key is that second one. */
  readonly isNext: boolean;
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
  return Keyring.holding(openEntry(text, master, place).keys, randomness);
}

/**
 * The keys in their entry, and which master keys open it.
 * @throws WrongMasterKey, or Error if a newer build wrote the entry or it is damaged
 */
export function openEntry(text: string, master: Buffer, place: string): OpenedKeys {
  const { keys, next, change } = parse(text, place);
  const opened = openedWith(keys, master);
  const other = opened ?? (next && openedWith(next, master));
  if (other === undefined) throw wrong(place);
  const of = (use: WrappedKey['use']): Map<number, Buffer> =>
    new Map(other.filter((each) => each.use === use).map(({ number, key }) => [number, key]));
  const [hash, seal, url] = [of('hash').get(0), of('seal'), of('url')];
  if (hash === undefined || seal.size === 0 || url.size === 0) throw damaged(place);
  return { keys: { hash, seal, url, change }, hasNext: next !== undefined, isNext: opened === undefined };
}

interface OpenedKey extends Pick<WrappedKey, 'use' | 'number'> {
  readonly key: Buffer;
}

/** Undefined if it is not this master key that wraps them. */
function openedWith(wrapped: readonly WrappedKey[], master: Buffer): readonly OpenedKey[] | undefined {
  const wrapping = wrappingKey(master);
  const opened: OpenedKey[] = [];
  for (const { use, number, wrapped: text } of wrapped) {
    const key = decrypt(wrapping, Buffer.from(text, 'base64'), contextOf({ use, number }));
    if (key === undefined) return undefined;
    opened.push({ use, number, key });
  }
  return opened;
}

/**
 * The entry for these keys.
 * @param next a second master key that opens it too
 */
export function wrapKeys(keys: Keys, master: Buffer, randomness: Randomness, next?: Buffer): string {
  const { change } = keys;
  const format = change === undefined && next === undefined ? FORMAT : CHANGING;
  return JSON.stringify({
    format,
    keys: wrappedWith(keys, master, randomness),
    next: next && wrappedWith(keys, next, randomness),
    change,
  });
}

function wrappedWith({ hash, seal, url }: Keys, master: Buffer, randomness: Randomness): readonly WrappedKey[] {
  const wrapping = wrappingKey(master);
  const wrap = (use: WrappedKey['use'], number: number, key: Buffer): WrappedKey => {
    const wrapped = encrypt(wrapping, key, contextOf({ use, number }), randomness).toString('base64');
    return { use, number, wrapped };
  };
  return [
    wrap('hash', 0, hash),
    ...[...seal].map(([number, key]) => wrap('seal', number, key)),
    ...[...url].map(([number, key]) => wrap('url', number, key)),
  ];
}

/** Names a master key by 8 hex characters that reveal nothing of it. */
export function masterKeyId(master: Buffer): string {
  return Buffer.from(hkdfSync('sha256', master, '', 'holdfast:master-key-id', 4)).toString('hex');
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

function parse(text: string, place: string): Entry {
  const found = parsedJson(text) as { readonly [name: string]: unknown } | null | undefined;
  const { format, keys, next, change } = found ?? {};
  if (typeof format === 'number' && format > CHANGING) {
    throw new Error(
      `the keys in ${place} have the newer format ${format}, and this build knows only ${CHANGING}: start the newer build`,
    );
  }
  if (format !== FORMAT && format !== CHANGING) throw damaged(place);
  if (!areWrapped(keys) || !(next === undefined || areWrapped(next))) throw damaged(place);
  if (!(change === undefined || isChange(change, keys))) throw damaged(place);
  return { keys, next, change };
}

function areWrapped(value: unknown): value is readonly WrappedKey[] {
  return Array.isArray(value) && value.every(isWrapped);
}

function isWrapped(value: unknown): value is WrappedKey {
  const { use, number, wrapped } = (value ?? {}) as { readonly [Name in keyof WrappedKey]?: unknown };
  return USES.some((each) => each === use) && Number.isSafeInteger(number) && typeof wrapped === 'string';
}

/** Whether both keys of a change are there. */
function isChange(value: unknown, keys: readonly WrappedKey[]): value is KeyChange {
  const { use, from, to, step } = (value ?? {}) as { readonly [Name in keyof KeyChange]?: unknown };
  const isThere = (of: unknown): boolean => keys.some((key) => key.use === use && key.number === of);
  return (use === 'seal' || use === 'url') && (step === 'known' || step === 'used') && isThere(from) && isThere(to);
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
    `${place} was written with another MASTER_KEY: set that one, or put its master.key back into the data folder. ` +
      'After a rotation of the master key, that is the new one; the old one opens only backups from before',
  );
}
