import type { EventTypes, Recorded, Upcaster } from '#kernel';

/**
 * Brings stored events to the versions that this build reads: each older version passes through its chain of upcasters. The
 * data on disk never changes.
 */
export class Codec {
  readonly #known = new Map<string, NumbersOf>();
  readonly #upcasters = new Map<string, Upcaster>();

  /** @throws Error if a name appears twice, or a chain does not lead from an older version to a present one */
  constructor(registered: readonly EventTypes[]) {
    this.categories = registered.map(({ category }) => category);
    for (const { names, upcasters, numbers, givenOut = {} } of registered) {
      const [expected, most] = [new Map(Object.entries(numbers)), new Map(Object.entries(givenOut))];
      for (const name of names) {
        if (this.#known.has(name)) throw new Error(`the event type ${name} is registered twice`);
        this.#known.set(name, {
          expected: (expected.get(name) ?? []).map(expectedNumber),
          givenOut: Object.entries(most.get(name) ?? {}) as [string, number][],
        });
      }
      for (const upcaster of upcasters) {
        if (this.#upcasters.has(upcaster.from)) throw new Error(`two upcasters start at ${upcaster.from}`);
        this.#upcasters.set(upcaster.from, upcaster);
      }
    }
    for (const from of this.#upcasters.keys()) {
      if (this.#known.has(from)) throw new Error(`an upcaster starts at ${from}: ${from} is a present version`);
      this.#endOf(from);
    }
  }

  /** The categories of all streams. */
  readonly categories: readonly string[];

  /** Every stored name that this build can read: present and older versions. */
  get names(): readonly string[] {
    return [...this.#known.keys(), ...this.#upcasters.keys()];
  }

  /** Whether this build can read events of this stored name. */
  knows(type: string): boolean {
    return this.#known.has(type) || this.#upcasters.has(type);
  }

  /**
   * @throws UnknownEventType for a name that this build does not know, because a newer build wrote it
   * @throws BrokenEvent if its data is no object, or not what its type has; if a number that folds count with is none, or more than
   * its stream can have given out
   */
  decode(event: Recorded): Recorded {
    if (!isObject(event.data)) throw new BrokenEvent(event, 'its data is no object');
    const known = this.#known.get(event.type);
    if (known !== undefined) return checked(event, known);
    let { type, data } = event;
    let present: NumbersOf | undefined;
    while (present === undefined) {
      const upcaster = this.#upcasters.get(type);
      if (upcaster === undefined) throw new UnknownEventType(event);
      data = changedBy(upcaster, data, event);
      type = upcaster.to;
      present = this.#known.get(type);
    }
    return checked({ ...event, type, data }, present);
  }

  #endOf(from: string): void {
    const seen = new Set<string>();
    for (let type = from; !this.#known.has(type);) {
      const next = this.#upcasters.get(type);
      if (next === undefined || seen.has(type)) throw new Error(`the upcasters from ${from} lead nowhere`);
      seen.add(type);
      type = next.to;
    }
  }
}

const isObject = (data: unknown): boolean => typeof data === 'object' && data !== null;

/** @throws BrokenEvent if the upcaster cannot read the data: nothing of ours has written it */
function changedBy(upcaster: Upcaster, data: Recorded['data'], event: Recorded): Recorded['data'] {
  try {
    return upcaster.change(data);
  } catch {
    throw new BrokenEvent(event, `its data is not that of ${upcaster.from}`);
  }
}

/** What is checked of the numbers of a present type. */
interface NumbersOf {
  readonly expected: readonly ExpectedNumber[];
  /** The numbers that the length of the stream bounds, and how many of them one event gives out at most. */
  readonly givenOut: readonly (readonly [name: string, perEvent: number])[];
}

function checked(event: Recorded, { expected, givenOut }: NumbersOf): Recorded {
  const data = event.data as Readonly<Record<string, unknown>>;
  for (const { name, parts, orNull } of expected) {
    const value = parts === undefined ? data[name] : partOf(data, parts);
    if (!Number.isSafeInteger(value) && !(orNull && value === null))
      throw new BrokenEvent(event, `its ${name} is not an integer`);
  }
  for (const [name, perEvent] of givenOut) {
    const [value, most] = [data[name] as number, (event.revision + 1) * perEvent];
    if (value < 0 || value > most)
      throw new BrokenEvent(event, `its ${name} is ${value}, and a stream of this length has given out 0 to ${most}`);
  }
  return event;
}

interface ExpectedNumber {
  readonly name: string;
  /** The names that lead to a number in a part of the data; undefined for one in the data itself. */
  readonly parts: readonly string[] | undefined;
  readonly orNull: boolean;
}

function expectedNumber(expected: string): ExpectedNumber {
  const orNull = expected.endsWith('?');
  const name = orNull ? expected.slice(0, -1) : expected;
  return { name, parts: name.includes('.') ? name.split('.') : undefined, orNull };
}

function partOf(data: unknown, names: readonly string[]): unknown {
  return names.reduce((part, name) => (part as Readonly<Record<string, unknown>> | null | undefined)?.[name], data);
}

/** An event that this build cannot read. Nothing is decided on its stream, and views stop at it. */
export abstract class UnreadableEvent extends Error {}

/** An event that cannot be read, and why. */
export interface Unreadable {
  readonly event: Recorded;
  readonly error: UnreadableEvent;
}

/** A number of an event is none, or cannot be: nothing of ours writes that. */
export class BrokenEvent extends UnreadableEvent {
  override name = 'BrokenEvent';
  constructor({ stream, revision, type }: Pick<Recorded, 'type' | 'stream' | 'revision'>, fault: string) {
    super(
      `${stream}@${revision} (${type}) is broken: ${fault}. Nothing is decided on this stream. ` +
        'Put back a copy of the log in which it is whole.',
    );
  }
}

export class UnknownEventType extends UnreadableEvent {
  override name = 'UnknownEventType';
  constructor(event: Pick<Recorded, 'type' | 'stream' | 'revision'>) {
    super(
      `${event.stream}@${event.revision} has the type ${event.type}, which this build does not know: ` +
        'a newer build wrote it. Run that build, or a newer one.',
    );
  }
}
