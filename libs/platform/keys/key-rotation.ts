import type { Logger } from 'pino';
import {
  type CommandContext,
  type KeyChange,
  type Leases,
  type LiveKeys,
  masterKeyId,
  newestOf,
  type Randomness,
  type RenewedUse,
  type SealedRows,
  SETTLES_AFTER,
  type Time,
  Unavailable,
  withChangeEnded,
  withNewKey,
  withNewKeyUsed,
  type Writer,
} from '#eventsourcing';
import { DomainError, type Position } from '#kernel';
import type { OperatedKeys, RotationStatus, ServiceKeyStatus } from '#operations';
import { type OpenRotation, type RotatedKey, SERVICE_KEYS, serviceKeys } from '#operations/model';
import type { LogGuard } from '#ownership';
import type { MasterKeyFiles } from './master-key-files.js';
import { type Pass, sealAgain } from './seal-again.js';

/** Milliseconds between two looks at keys that other processes may rotate. */
const LOOK_EVERY = 1_000;
/** Milliseconds between two looks into the log for a rotation that a process has ordered and not begun, because it was killed. */
const LOOK_IN_LOG_EVERY = 60_000;
/** URL keys that are kept: links of coupons have no end, so none is ever removed. */
const MOST_URL_KEYS = 100;

/** What a rotation works with. */
export interface RotationParts {
  readonly live: LiveKeys;
  readonly rows: SealedRows;
  readonly guard: Pick<LogGuard, 'passed'>;
  readonly writer: Writer;
  readonly time: Time;
  readonly randomness: Randomness;
  readonly logger: Logger;
  readonly files: MasterKeyFiles;
  /** Whether the master key is in the data folder, which only this process has: then it replaces the file itself. */
  readonly ownsMasterKey: boolean;
  /** Whether this is the only process of the installation. */
  readonly isAlone: boolean;
  /** Whether the keys are on a server: then a write of another process, or of one that has ended, may be on its way. */
  readonly isShared: boolean;
  /** Set if several processes share the keys: one at a time rotates. */
  readonly leases: Leases | undefined;
  /** Notes that URLs are signed with the key of this number. @returns what makes it so, in one turn */
  readonly signWith: (number: number) => Promise<() => void>;
}

/** What a step has led to. */
type After = 'next step' | 'ended' | 'waits';

/**
 * Rotates the keys of the installation (ruling G14), step by step. The log says what was ordered, the entry of the keys how far it
 * is: whatever breaks off goes on from there, in this process or another one, and each step may be done twice.
 */
export class KeyRotation implements OperatedKeys {
  #timers: readonly ReturnType<Time['every']>[] = [];
  #looking: Promise<void> | undefined;
  #lookAgain = false;
  #looksInLog = false;
  #lastFailure = '';
  #held: { close(): Promise<void> } | undefined;
  readonly #ended = new AbortController();
  #pass: Pass | undefined;

  constructor(private readonly parts: RotationParts) {}

  /** Goes on with what was ordered, now and whenever something is. */
  start(): void {
    const { live, time, isShared, signWith } = this.parts;
    live.whenOthers = async (keys) => {
      const number = newestOf(keys, 'url');
      return number === live.keyring.signingKey ? () => undefined : signWith(number);
    };
    this.#timers = [
      time.every(LOOK_IN_LOG_EVERY, () => this.wake()).unref(),
      ...(isShared ? [time.every(LOOK_EVERY, () => this.#lookSoon()).unref()] : []),
    ];
    this.wake();
  }

  wake(): void {
    this.#looksInLog = true;
    this.#lookSoon();
  }

  #lookSoon(): void {
    if (this.#timers.length === 0 || this.#isOver) return;
    this.#lookAgain = true;
    this.#looking ??= this.#look();
  }

  /** Resolves when nothing is left to do, or what is left cannot be done now. */
  async rests(): Promise<void> {
    await this.#looking;
  }

  get #isOver(): boolean {
    return this.#ended.signal.aborted;
  }

  async close(): Promise<void> {
    this.#ended.abort();
    for (const timer of this.#timers) this.parts.time.cancel(timer);
    await this.#held?.close();
    await this.#looking;
  }

  async status(): Promise<readonly ServiceKeyStatus[]> {
    const { live, writer } = this.parts;
    const { open, since } = await writer.readNow(serviceKeys, SERVICE_KEYS);
    const { hash, seal, url } = live.keyring.ids;
    const rotation = (key: RotatedKey): RotationStatus | undefined =>
      open?.key === key ? this.#statusOf(open) : undefined;
    const of = (key: RotatedKey, [id = '', ...older]: readonly string[]): ServiceKeyStatus => ({
      key,
      id,
      older,
      since: since[key],
      rotation: rotation(key),
    });
    return [
      of('master', [masterKeyId(live.masterKey)]),
      of('data', seal),
      of('urls', url),
      { key: 'hash', id: hash, older: [], since: undefined, rotation: undefined },
    ];
  }

  async mayRotate(key: RotatedKey): Promise<string> {
    const { live, files, ownsMasterKey } = this.parts;
    const { keys } = live.opened;
    if (key === 'urls' && keys.url.size >= MOST_URL_KEYS)
      throw refused(`there are ${keys.url.size} keys of URLs, and each may still check old links: no more are made`);
    if (key === 'master' && ownsMasterKey && files.hasOld)
      throw refused(
        `${files.old} is still there: move it to where you keep the keys of old backups, or delete it if there are none`,
      );
    if (key === 'master' && !ownsMasterKey) this.#assertNextIsThere();
    return this.#idOf(key);
  }

  async endMaster(context: CommandContext): Promise<Position | undefined> {
    const { live, writer, isAlone, files } = this.parts;
    const { open } = await writer.readNow(serviceKeys, SERVICE_KEYS);
    if (isAlone || open?.key !== 'master') return undefined;
    await live.refresh();
    const { hasNext, isNext, keys } = live.opened;
    if (hasNext && !isNext) throw refused(this.#wordsToWaitFor());
    if (!hasNext && this.#idOf('master') === open.from) return undefined;
    if (hasNext && !(await live.replace(keys, live.masterKey)))
      throw new Unavailable('another process has changed the keys: call again');
    files.removeNext(live.masterKey);
    return this.#end('master', context);
  }

  #statusOf({ key, reason }: OpenRotation): RotationStatus {
    const { keys, hasNext } = this.parts.live.opened;
    const waits = key === 'master' && hasNext && !this.parts.ownsMasterKey;
    return {
      state: waits ? 'waiting' : keys.change?.step === 'used' ? 'sealing' : 'preparing',
      reason,
      read: this.#pass?.read ?? null,
      sealed: this.#pass?.sealed ?? null,
      waitsFor: waits ? this.#wordsToWaitFor() : null,
    };
  }

  #wordsToWaitFor(): string {
    const { files, isAlone } = this.parts;
    const set = `both master keys open the keys now: set MASTER_KEY to what ${files.next} holds`;
    return isAlone
      ? `${set}, and restart the service when it suits you`
      : `${set}, restart the processes one after another, and order the rotation again`;
  }

  #assertNextIsThere(): void {
    const { files, live } = this.parts;
    const make = `write the new key to ${files.next}: (umask 077; openssl rand -hex 32 > ${files.next})`;
    let next: Buffer | undefined;
    try {
      next = files.readNext();
    } catch (error) {
      throw refused((error as Error).message);
    }
    if (next === undefined)
      throw refused(
        `the service cannot replace the master key itself where MASTER_KEY is set or processes share it: ${make}`,
      );
    if (next.equals(live.masterKey)) throw refused(`${files.next} holds the present master key: ${make}`);
  }

  async #look(): Promise<void> {
    const { live, isShared, leases } = this.parts;
    while (this.#lookAgain && !this.#isOver) {
      this.#lookAgain = false;
      try {
        if (isShared) await live.refresh();
        if (!(await this.#hasWork())) continue;
        if (leases === undefined) await this.#rotate(this.#ended.signal);
        else this.#held ??= leases.hold('keys', (lost) => this.#rotateUnderLease(lost));
        this.#lastFailure = '';
      } catch (error) {
        this.#failed(error);
      }
    }
    // In the same turn as the last question, so that no wake between them is lost.
    this.#looking = undefined;
  }

  /** Whether this process can go on with a rotation now. */
  async #hasWork(): Promise<boolean> {
    const { live, writer, ownsMasterKey, isAlone } = this.parts;
    const { keys, hasNext, isNext } = live.opened;
    if (keys.change !== undefined) return true;
    // A master key that an operator hands over waits for them.
    if (hasNext) return ownsMasterKey || (isNext && isAlone);
    if (!this.#looksInLog) return false;
    // Before the read: what is ordered during it is looked for again.
    this.#looksInLog = false;
    try {
      const { open } = await writer.readNow(serviceKeys, SERVICE_KEYS);
      return open !== null;
    } catch (error) {
      this.#looksInLog = true;
      throw error;
    }
  }

  /** Says so once, and not at each look. */
  #failed(error: unknown): void {
    const { message } = error as Error;
    if (this.#isOver || message === this.#lastFailure) return;
    this.#lastFailure = message;
    this.parts.logger.warn({ err: error }, 'keys cannot be looked after now; it is tried again');
  }

  async #rotateUnderLease(lost: AbortSignal): Promise<void> {
    try {
      await this.#rotate(AbortSignal.any([lost, this.#ended.signal]));
    } catch (error) {
      this.#failed(error);
    }
    // Whoever looks next takes it again if something is left.
    const held = this.#held;
    this.#held = undefined;
    void held?.close();
  }

  async #rotate(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) if ((await this.#step(signal)) !== 'next step') return;
  }

  async #step(signal: AbortSignal): Promise<After> {
    const { live, guard, writer, isShared, randomness } = this.parts;
    await guard.passed();
    if (isShared) await live.refresh();
    const { keys, hasNext } = live.opened;
    if (keys.change !== undefined) return this.#goOn(keys.change, signal);
    if (hasNext) return this.#goOnWithMaster();
    const { open } = await writer.readNow(serviceKeys, SERVICE_KEYS);
    if (open === null) return 'ended';
    if (this.#idOf(open.key) !== open.from) {
      await this.#end(open.key, writer.newContext('system:keys'));
      return 'ended';
    }
    if (open.key === 'master') return this.#beginMaster();
    const use: RenewedUse = open.key === 'data' ? 'seal' : 'url';
    await live.replace(withNewKey(keys, use, randomness.bytes(32)), live.masterKey);
    return 'next step';
  }

  /** One step of a rotation of the keys that seal, or of those that sign URLs. */
  async #goOn(change: KeyChange, signal: AbortSignal): Promise<After> {
    const { live, guard, isShared, time } = this.parts;
    // Until every process that shares the keys has taken the step before.
    if (isShared) await time.pause(SETTLES_AFTER, { signal });
    if (change.step === 'used' && change.use === 'seal') {
      await this.#sealAll(signal);
      if (signal.aborted) return 'waits';
    }
    await guard.passed();
    const { keys } = live.opened;
    if (keys.change?.to !== change.to || keys.change.step !== change.step) return 'next step';
    const next = change.step === 'known' ? withNewKeyUsed(keys) : withChangeEnded(keys);
    await live.replace(next, live.masterKey);
    return 'next step';
  }

  /** Seals rows again until a whole pass finds none that is under another key. @throws Error if some do not open */
  async #sealAll(signal: AbortSignal): Promise<void> {
    const { live, rows, time } = this.parts;
    const parts = { rows, keyring: live.keyring, time };
    let before = 0;
    try {
      while (!signal.aborted) {
        const told = (pass: Pass): void => void (this.#pass = { ...pass, sealed: before + pass.sealed });
        const pass = await sealAgain(parts, told, () => signal.aborted);
        before += pass.sealed;
        if (pass.unreadable > 0)
          throw new Error(
            `${pass.unreadable} sealed rows do not open, so the key before stays: restore them from a backup`,
          );
        if (pass.sealed === 0) return;
      }
    } finally {
      this.#pass = undefined;
    }
  }

  async #beginMaster(): Promise<After> {
    const { live, files, ownsMasterKey, randomness } = this.parts;
    const next = files.readNext() ?? (ownsMasterKey ? files.makeNext(randomness) : undefined);
    // Another process has the file.
    if (next === undefined) return 'waits';
    await live.replace(live.opened.keys, live.masterKey, next);
    return 'next step';
  }

  async #goOnWithMaster(): Promise<After> {
    const { live, files, ownsMasterKey, isAlone } = this.parts;
    const { keys, isNext } = live.opened;
    if (isNext && isAlone) {
      await live.replace(keys, live.masterKey);
      if (!ownsMasterKey) files.removeNext(live.masterKey);
      return 'next step';
    }
    if (!ownsMasterKey) return 'waits';
    const next = files.readNext();
    // The file is lost, or another one, such as in a restored folder: what it would open is wrapped again.
    if (next === undefined || live.openedWith(next)?.isNext !== true) return this.#beginMaster();
    files.swap();
    return 'next step';
  }

  async #end(key: RotatedKey, context: CommandContext): Promise<Position | undefined> {
    const { writer, logger } = this.parts;
    const to = this.#idOf(key);
    const { position } = await writer.execute(serviceKeys, SERVICE_KEYS, { type: 'end', key, to }, context);
    logger.info({ key, to }, 'a key was rotated');
    return position;
  }

  #idOf(key: RotatedKey): string {
    const { live } = this.parts;
    const { seal, url } = live.keyring.ids;
    return (key === 'master' ? masterKeyId(live.masterKey) : key === 'data' ? seal[0] : url[0]) ?? '';
  }
}

function refused(message: string): DomainError {
  return new DomainError('key_not_rotated', message);
}
