import type { Collection } from 'mongodb';
import type { Position, View } from '#kernel';
import type { Checkpoint } from '#eventsourcing';
import type { MongoDb } from '../mongo-db.js';
import type { RowDocument } from './row-document.js';

/** One generation in the document of its view and version. */
export interface GenerationRecord {
  readonly log: string;
  readonly layout: string;
  readonly finished: boolean;
  /** The generation's writer. Whoever opens the generation puts their own name here; the one before is refused. */
  readonly writer: string;
  readonly position: Position | null;
  readonly event: string;
  /** The fields that have returned a list. */
  readonly many: readonly string[];
  /** When it was dropped, in milliseconds. Its collection goes a while later, when no reader can use it any more. */
  readonly dropped?: number;
}

/** All generations of a view and version in one document, so that each change is one step. */
export interface GenerationsDocument {
  /** `<view>.v<version>` */
  readonly _id: string;
  /** The number of the live generation. */
  readonly live: number | null;
  /**
   * How often a generation was made the live one, or a projector has asked which ones there are; absent before the first
   * time.
   */
  readonly promotions?: number;
  /** The highest number that a generation has had. */
  readonly last: number;
  /** By `g<number>`; none before the first one has begun. */
  readonly generations?: Readonly<Record<string, GenerationRecord>>;
}

export function generationsCollection(mongo: MongoDb): Collection<GenerationsDocument> {
  return mongo.collection<GenerationsDocument>('views');
}

export function generationsName({ name, version }: View): string {
  return `${name}.v${version}`;
}

/** The path of a generation in its view's document, or of one of its fields. */
export function pathOf(generation: number, field?: keyof GenerationRecord): string {
  return `generations.g${generation}${field === undefined ? '' : `.${field}`}`;
}

/** The generations that are not dropped, the oldest first. */
export function keptGenerations(
  standing: GenerationsDocument | null,
): readonly { readonly number: number; readonly record: GenerationRecord }[] {
  return Object.entries(standing?.generations ?? {})
    .map(([name, record]) => ({ number: Number(name.slice(1)), record }))
    .filter(({ record }) => record.dropped === undefined)
    .sort((a, b) => a.number - b.number);
}

/** A generation that is not dropped. */
export function keptRecord(standing: GenerationsDocument | null, generation: number): GenerationRecord | undefined {
  return keptGenerations(standing).find(({ number }) => number === generation)?.record;
}

/** The rows of a generation. */
export function rowsOf(mongo: MongoDb, view: View, generation: number): Collection<RowDocument> {
  return mongo.collection<RowDocument>(`${generationsName(view)}.g${generation}`);
}

export function checkpointOf({ log, position, event }: GenerationRecord): Checkpoint | undefined {
  return position === null ? undefined : { log, position, event };
}
