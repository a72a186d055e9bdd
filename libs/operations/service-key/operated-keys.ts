import type { CommandContext } from '#eventsourcing';
import type { Instant, Position } from '#kernel';
import type { RotatedKey } from './service-key.events.js';

/** How far a rotation is. */
export interface RotationStatus {
  /**
   * `preparing`: processes learn the newer key. `sealing`: what the older key has sealed is sealed again. `waiting`: for what
   * `waits_for` says.
   */
  readonly state: 'preparing' | 'sealing' | 'waiting';
  readonly reason: string | null;
  /** Rows that this process has read and sealed again; null if another process does it. */
  readonly read: number | null;
  readonly sealed: number | null;
  /** What an operator has to do; null for nothing. */
  readonly waitsFor: string | null;
}

/** A key of the installation, without its secret. */
export interface ServiceKeyStatus {
  readonly key: RotatedKey | 'hash';
  readonly id: string;
  /** The ids of older keys that still open or check something. */
  readonly older: readonly string[];
  /** When it came into use; undefined: at the first start. */
  readonly since: Instant | undefined;
  readonly rotation: RotationStatus | undefined;
}

/** The keys of the installation, as a class so that Nest can inject them. */
export abstract class OperatedKeys {
  abstract status(): Promise<readonly ServiceKeyStatus[]>;
  /**
   * The id of a key that may be rotated now.
   * @throws DomainError key_not_rotated that says what to do before
   */
  abstract mayRotate(key: RotatedKey): Promise<string>;
  /**
   * Ends a rotation of the master key that waits for an operator's word that every process has the new one.
   * @returns the position of the event that says so; undefined if no rotation waits for that
   * @throws DomainError key_not_rotated if this process has the older one
   */
  abstract endMaster(context: CommandContext): Promise<Position | undefined>;
  /** Goes on with the rotation that has begun. */
  abstract wake(): void;
}
