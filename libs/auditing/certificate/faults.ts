import type { Instant } from '#kernel';
import type { ExportedEvent } from './exported-event.js';
import { instant } from './values.js';

/** The rules that a certificate checks, as docs/certificate.md explains them. */
export const RULES = [
  'order',
  'time',
  'causes',
  'numbers',
  'units',
  'limits',
  'terms',
  'codes',
  'coupons',
  'money',
  'accounts',
] as const;
export type Rule = (typeof RULES)[number];

/** The most faults that a certificate names, and the most decisions whose followers may still come. */
export const MOST_NAMED = 100;

/** Followers of a decision that is younger than this, in milliseconds, may still come: a crash may have cut them off. */
export const MAY_COME_FOR = 60_000;

/** The place of an event. */
export type Place = Pick<ExportedEvent, 'position' | 'stream' | 'revision'>;

/** A place that a rule speaks of. */
export interface Fault {
  readonly position: bigint;
  /** `stream@revision` */
  readonly place: string;
  readonly rule: Rule;
  readonly words: string;
}

/** `stream@revision` */
export const placeOf = ({ stream, revision }: Pick<Place, 'stream' | 'revision'>): string => `${stream}@${revision}`;

/** The first faults in the order of their positions, and how many there are. */
class Named {
  readonly list: Fault[] = [];
  total = 0;

  add(fault: Fault): void {
    this.total += 1;
    const last = this.list.at(-1);
    if (this.list.length === MOST_NAMED && last !== undefined && !isBefore(fault, last)) return;
    let at = this.list.length;
    for (let before = this.list[at - 1]; before !== undefined && isBefore(fault, before); before = this.list[at - 1])
      at -= 1;
    this.list.splice(at, 0, fault);
    if (this.list.length > MOST_NAMED) this.list.pop();
  }
}

/** What breaks a rule, and what may only be unfinished. Its size is bounded. */
export class Faults {
  readonly broken = new Named();
  readonly waiting = new Named();
  readonly #count = new Map<Rule, number>();

  /** @param now the time of the log's last event */
  constructor(private readonly now: Instant) {}

  /** How many faults a rule has. */
  of(rule: Rule): number {
    return this.#count.get(rule) ?? 0;
  }

  add(at: Place, rule: Rule, words: string): void {
    this.addAt(BigInt(at.position), placeOf(at), rule, words);
  }

  addAt(position: bigint, place: string, rule: Rule, words: string): void {
    this.#count.set(rule, this.of(rule) + 1);
    this.broken.add({ position, place, rule, words });
  }

  /** Notes that a follower of a decision is missing: a fault, unless the decision is so young that it may still come. */
  missing(decision: ExportedEvent, words: string): void {
    this.missingAt(BigInt(decision.position), placeOf(decision), instant(decision.time), words);
  }

  missingAt(position: bigint, place: string, time: Instant, words: string): void {
    if (time > this.now - MAY_COME_FOR) this.waiting.add({ position, place, rule: 'accounts', words });
    else this.addAt(position, place, 'accounts', words);
  }
}

function isBefore(one: Fault, other: Fault): boolean {
  if (one.position !== other.position) return one.position < other.position;
  if (one.place !== other.place) return one.place < other.place;
  const [a, b] = [RULES.indexOf(one.rule), RULES.indexOf(other.rule)];
  return a === b ? one.words < other.words : a < b;
}
