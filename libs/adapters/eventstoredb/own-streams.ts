import { categoryOf, type EventMetadata, type Recorded } from '#kernel';
import { isOfRecord, numberOf } from './identity.js';
import type { ServerEvent } from './server.js';

/** The event type of a tombstone. */
const DELETED = '$streamDeleted';

/** The form of every category of every build: only letters, so that a longer prefix can be distinguished from ours. */
const CATEGORY = /^[a-z]+$/i;

/** To whom an event belongs, by its stream's name and its metadata. */
export type ClassifiedEvent =
  | { readonly kind: 'ours'; readonly event: Recorded }
  /** Metadata of a stream of ours: setting it may cut the stream. */
  | { readonly kind: 'metadata'; readonly stream: string; readonly of: unknown }
  /** Somebody deleted a stream of ours for ever. */
  | { readonly kind: 'deleted'; readonly stream: string }
  /** In a stream with a name like ours, without our metadata. */
  | { readonly kind: 'stranger'; readonly stream: string }
  /** With our prefix and form, in a category that this build does not know. */
  | { readonly kind: 'newer'; readonly stream: string }
  /** The server's own. */
  | { readonly kind: 'system' }
  | { readonly kind: 'theirs' };

/** Identifies the streams of one log among everyone's: the prefix, a known category, a dash and an id. */
export class OwnStreams {
  readonly #known: ReadonlySet<string> | undefined;

  /** @param categories known ones; undefined means any */
  constructor(
    readonly prefix: string,
    private readonly categories: readonly string[] | undefined,
  ) {
    this.#known = categories && new Set(categories);
  }

  /**
   * The beginnings of stream names that the server lets pass. With a prefix, it is only the prefix, so that a newer build's
   * category shows; without one, that would be everyone's streams.
   */
  get prefixes(): readonly string[] {
    if (this.prefix !== '') return [this.prefix];
    return this.categories?.map((category) => `${category}-`) ?? [];
  }

  /** The same, and the streams that hold the metadata of ours. */
  get watchedPrefixes(): readonly string[] {
    return this.prefixes.flatMap((prefix) => [prefix, `$$${prefix}`]);
  }

  /** The same, and those of the log's own record. */
  get searchedPrefixes(): readonly string[] {
    return [...new Set([...this.prefixes, `${this.prefix}holdfast`])];
  }

  /** Whether an event shows that the server has a log with this prefix: one of its events, or of its record. */
  shows(event: ServerEvent): boolean {
    return isOfRecord(event, this.prefix) || ['ours', 'newer'].includes(this.classify(event).kind);
  }

  classify(event: ServerEvent): ClassifiedEvent {
    if (numberOf(event.stream.replace(/^\$\$/, ''), this.prefix) !== undefined) return { kind: 'system' };
    const { stream, metadata, data, created: _created, bytes: _bytes, ...rest } = event;
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
    if (name === undefined) return { kind: 'theirs' };
    // Otherwise it is another log's prefix that begins like ours; its end comes before a category.
    const isCategory = CATEGORY.test(categoryOf(name));
    const anothers = this.categories?.some((category) => categoryOf(name).endsWith(category)) ?? true;
    return ours && isCategory && !anothers ? { kind: 'newer', stream: name } : { kind: 'theirs' };
  }

  /** The name without the prefix, if it is a prefix, a category, a dash and an id. */
  #nameOf(stream: string): string | undefined {
    if (stream.startsWith('$') || !stream.startsWith(this.prefix)) return undefined;
    const name = stream.slice(this.prefix.length);
    return /^[^-]+-./s.test(name) ? name : undefined;
  }

  #knows(name: string): boolean {
    return this.#known?.has(categoryOf(name)) ?? true;
  }
}

/** Whether metadata has our form, whatever else it contains. */
function isOurs(metadata: unknown): metadata is EventMetadata {
  if (typeof metadata !== 'object' || metadata === null) return false;
  const { time, command_id, correlation, causation, actor } = metadata as Record<keyof EventMetadata, unknown>;
  const texts = [command_id, correlation, actor].every((each) => typeof each === 'string');
  return texts && Number.isFinite(time) && (causation === null || typeof causation === 'string');
}
