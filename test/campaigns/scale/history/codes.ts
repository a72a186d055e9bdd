import { hash } from 'node:crypto';
import type { Instant } from '#kernel';
import { inventory } from '#purchasing/model';
import type { Appends, Decisions } from './decisions.js';

/** Codes in one event of an import. */
const TOGETHER = 1_000;

/** Adds this many codes to a deal without any, as an import does: in parts. */
export function* adding(decisions: Decisions, deal: string, count: number, now: Instant): Generator<Appends> {
  for (let from = 0; from < count; from += TOGETHER) {
    const codes = Array.from({ length: Math.min(TOGETHER, count - from) }, (_, index) =>
      hash('sha256', `${deal} code ${from + index}`, 'hex')
        .slice(0, 16)
        .toUpperCase(),
    );
    yield decisions.decide(inventory, deal, { type: 'add-codes', codes, seen: from }, now);
  }
}
