import type { EventBody } from '#kernel';

/** The names of the fields that only some events of a type have. */
type OptionalIn<Data> = {
  [Name in keyof Data & string]-?: Partial<Pick<Data, Name>> extends Pick<Data, Name> ? Name : never;
}[keyof Data & string];

/** The words of an event type. */
export interface Phrase<Data extends object> {
  /** What happened, as docs/events.md says it of every event of the type: sentences. */
  readonly what: string;
  /**
   * What happened, with the facts of one event: a short line of plain text, without personal data and secrets. The actor and the
   * time stand beside it.
   */
  line(data: Data): string;
  /** The fields that only some events of the type have. */
  readonly optional?: Readonly<Record<string, true>>;
}

/** Asks for the names of all fields that are optional. */
type NamesOptional<Data> = [OptionalIn<Data>] extends [never]
  ? { readonly optional?: never }
  : { readonly optional: Readonly<Record<OptionalIn<Data>, true>> };

/** A phrase for each event type of a union. */
type PhrasesOf<E extends EventBody> = {
  readonly [Type in E['type']]: Phrase<Extract<E, { readonly type: Type }>['data']> &
    NamesOptional<Extract<E, { readonly type: Type }>['data']>;
};

/** The words of the events of one kind of stream, as a section of docs/events.md has them. */
export interface StreamWords {
  readonly heading: string;
  /** How its streams are named, and what holds for all its events. */
  readonly about: string;
  readonly phrases: Readonly<Record<string, Phrase<object>>>;
}

/** Gives each event of an aggregate its words. The compiler requires every member of the union and no other name. */
export function defineWords<E extends EventBody>(heading: string, about: string, phrases: PhrasesOf<E>): StreamWords {
  return { heading, about, phrases };
}
