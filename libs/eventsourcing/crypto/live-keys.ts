import { Unavailable } from '../errors.js';
import type { KeyValueStore } from '../ports/key-value-store.js';
import type { Machine } from '../ports/machine.js';
import { KEYS_ENTRY, openEntry, openKeys, type KeyStorePast, type OpenedKeys, wrapKeys } from './installation-keys.js';
import type { Keyring, Keys } from './keyring.js';
import type { MasterKey } from './master-key.js';

/** Milliseconds that keys are used without reading them again, where several processes share them. */
const FRESH_FOR = 2_000;
/**
 * Milliseconds after which a write that was sealed counts as slow. A rotation waits longer (`SETTLES_AFTER`) before it looks for rows
 * under the older key, so it finds what every quicker write has left.
 */
const QUICK = 10_000;
/** Milliseconds after a step of a rotation, until every process that shares the keys has taken it, or takes none of its own. */
export const SETTLES_AFTER = 15_000;

/** Keeps the keys of a process as new as those in the key store. */
export interface FreshKeys {
  /** Reads the keys again unless they are fresh: to be called before something is sealed or opened. */
  fresh(): Promise<void>;
  /** Reads the keys again. */
  refresh(): Promise<void>;
  /**
   * Carries out a write of something sealed. If it was slow, and another key seals now, it is carried out again: a rotation may have
   * looked for rows under the older key before it arrived.
   */
  sealing<Result>(write: () => Promise<Result>): Promise<Result>;
}

/** For a process that does not share its keys: it knows each change, because it makes it. */
export const OWN_KEYS: FreshKeys = {
  fresh: () => Promise.resolve(),
  refresh: () => Promise.resolve(),
  sealing: (write) => write(),
};

/** The keys of an installation in a running process, and their entry in the key store. */
export class LiveKeys implements FreshKeys {
  /** Prepares the use of other keys. @returns what happens in the same turn in which they are used */
  whenOthers: (keys: Keys) => Promise<() => void> = () => Promise.resolve(() => undefined);
  #readAt: number;
  #reading: Promise<void> | undefined;

  private constructor(
    private readonly keyValues: KeyValueStore,
    private readonly master: MasterKey,
    private readonly place: string,
    private readonly machine: Pick<Machine, 'time' | 'randomness'>,
    readonly keyring: Keyring,
    private text: string,
  ) {
    this.#readAt = machine.time.monotonic();
  }

  /** Opens the keys, as `openKeys` does. @throws KeysLost, WrongMasterKey, or Error for keys that a newer build wrote */
  static async open(
    keyValues: KeyValueStore,
    master: MasterKey,
    past: KeyStorePast,
    machine: Pick<Machine, 'time' | 'randomness'>,
  ): Promise<LiveKeys> {
    const keyring = await openKeys(keyValues, master, past, machine.randomness);
    const text = (await keyValues.get(KEYS_ENTRY)) ?? '';
    keyring.renew(openEntry(text, master(false), past.place).keys);
    return new LiveKeys(keyValues, master, past.place, machine, keyring, text);
  }

  /** The entry as this process knows it, opened. @throws WrongMasterKey if the master key was replaced meanwhile */
  get opened(): OpenedKeys {
    return openEntry(this.text, this.master(false), this.place);
  }

  /** The entry, opened with another master key; undefined if that opens nothing. */
  openedWith(master: Buffer): OpenedKeys | undefined {
    try {
      return openEntry(this.text, master, this.place);
    } catch {
      return undefined;
    }
  }

  /** The master key as it is set now. */
  get masterKey(): Buffer {
    return this.master(false);
  }

  async fresh(): Promise<void> {
    if (this.machine.time.monotonic() - this.#readAt > FRESH_FOR) await this.refresh();
  }

  refresh(): Promise<void> {
    this.#reading ??= this.#read().finally(() => (this.#reading = undefined));
    return this.#reading;
  }

  async sealing<Result>(write: () => Promise<Result>): Promise<Result> {
    for (;;) {
      await this.fresh();
      const readAt = this.#readAt;
      const [key] = this.keyring.ids.seal;
      const result = await write();
      if (this.machine.time.monotonic() - readAt <= QUICK) return result;
      await this.refresh();
      if (this.keyring.ids.seal[0] === key) return result;
    }
  }

  /**
   * Replaces the entry, unless another process has changed it, and uses what it says.
   * @param next a second master key that opens it too
   * @returns whether this process has replaced it
   */
  async replace(keys: Keys, master: Buffer, next?: Buffer): Promise<boolean> {
    const { text: expected } = this;
    const text = wrapKeys(keys, master, this.machine.randomness, next);
    const done = await this.keyValues.replace(KEYS_ENTRY, expected, text);
    // One that began before would find the entry as it was.
    await this.#reading?.catch(() => undefined);
    await this.refresh();
    return done;
  }

  async #read(): Promise<void> {
    const { time } = this.machine;
    const readAt = time.monotonic();
    const text = await this.keyValues.get(KEYS_ENTRY);
    if (text === undefined) throw new Unavailable(`${this.place} has no keys any more`, 10);
    if (text !== this.text) {
      const { keys } = this.#open(text);
      const take = await this.whenOthers(keys);
      this.keyring.renew(keys);
      take();
      this.text = text;
    }
    this.#readAt = readAt;
  }

  #open(text: string): OpenedKeys {
    try {
      return openEntry(text, this.master(false), this.place);
    } catch (error) {
      // The operator has to act; until then nothing is sealed or opened, and nothing is lost.
      throw new Unavailable((error as Error).message, 10);
    }
  }
}
