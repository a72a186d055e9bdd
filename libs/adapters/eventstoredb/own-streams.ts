import { categoryOf, type EventMetadata, type Recorded } from '#kernel';
import type { ServerEvent } from './server.js';

/** The type of the event that a tombstone is. */
const DELETED = '$streamDeleted';

/** What every category of every build is: letters alone, so that a prefix which goes on with anything else is told from one. */
const CATEGORY = /^[a-z]+$/i;

/** Whose an event is, by its stream's name and its metadata. */
export type ClassifiedEvent =
  | { readonly kind: 'ours'; readonly event: Recorded }
  /** Metadata of a stream of ours: who sets any there may cut it. */
  | { readonly kind: 'metadata'; readonly stream: string; readonly of: unknown }
  /** A stream of ours was deleted for ever. */
  | { readonly kind: 'deleted'; readonly stream: string }
  /** In a stream that is named as ours are, without our metadata. */
  | { readonly kind: 'stranger'; readonly stream: string }
  /** Under our prefix and of our form, in a category that this build does not know. */
  | { readonly kind: 'newer'; readonly stream: string }
  /** The server's own. */
  | { readonly kind: 'system' }
  | { readonly kind: 'foreign' };

/** How the streams of one log are known among everybody's: the prefix, a known category, a dash and an id. */
export class OwnStreams {
  readonly #known: ReadonlySet<string> | undefined;

  /** @param categories those that there are; undefined: any */
  constructor(
    readonly prefix: string,
    private readonly categories: readonly string[] | undefined,
  ) {
    this.#known = categories && new Set(categories);
  }

  /**
   * What the names of streams begin with that the server lets pass. Under a prefix that is the prefix alone, so that a
   * category of a newer build is seen; without one, everybody's would be.
   */
  get names(): readonly string[] {
    if (this.prefix !== '') return [this.prefix];
    return this.categories?.map((category) => `${category}-`) ?? [];
  }

  /** The same, with the streams that hold the metadata of ours. */
  get watched(): readonly string[] {
    return this.names.flatMap((name) => [name, `$$${name}`]);
  }

  classify(event: ServerEvent): ClassifiedEvent {
    const { stream, metadata, data, created: _, ...rest } = event;
    if (stream.startsWith('$$')) {
      const named = this.#nameOf(stream.slice(2));
      return named === undefined || !this.#knows(named)
        ? { kind: 'system' }
        : { kind: 'metadata', stream: named, of: data };
    }
    const name = this.#nameOf(stream);
    const isSystems = event.type.startsWith('$');
    const ours = !isSystems && isOurs(metadata) && typeof data === 'object' && data !== null;
    if (name !== undefined && this.#knows(name)) {
      if (event.type === DELETED) return { kind: 'deleted', stream: name };
      return ours
        ? { kind: 'ours', event: { ...rest, data, stream: name, metadata } }
        : { kind: 'stranger', stream: name };
    }
    if (isSystems) return { kind: 'system' };
    if (name === undefined) return { kind: 'foreign' };
    // Else the prefix is another's that begins as ours does: what it ends with stands before a category.
    const isCategory = CATEGORY.test(categoryOf(name));
    const anothers = this.categories?.some((category) => categoryOf(name).endsWith(category)) ?? true;
    return ours && isCategory && !anothers ? { kind: 'newer', stream: name } : { kind: 'foreign' };
  }

  /** Without the prefix, for what is a prefix, a category, a dash and an id. */
  #nameOf(stream: string): string | undefined {
    if (stream.startsWith('$') || !stream.startsWith(this.prefix)) return undefined;
    const name = stream.slice(this.prefix.length);
    return /^[^-]+-./s.test(name) ? name : undefined;
  }

  #knows(name: string): boolean {
    return this.#known?.has(categoryOf(name)) ?? true;
  }
}

/** Whether metadata have our form, whatever else they hold. */
function isOurs(metadata: unknown): metadata is EventMetadata {
  if (typeof metadata !== 'object' || metadata === null) return false;
  const { time, command_id, correlation, causation, actor } = metadata as Record<keyof EventMetadata, unknown>;
  const texts = [command_id, correlation, actor].every((each) => typeof each === 'string');
  return texts && Number.isFinite(time) && (causation === null || typeof causation === 'string');
}
