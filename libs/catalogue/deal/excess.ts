import { type Excess, excessOf } from '#eventsourcing';
import { DomainError } from '#kernel';

/**
 * The refusal of a list that has too much at once, in terms of its parameters: what it has too much of, and how much of it to
 * leave out (ruling I17). Other errors stay as they are.
 */
export function inWordsOfLists(error: unknown): unknown {
  const excess = error instanceof DomainError ? excessOf(error) : undefined;
  return excess === undefined ? error : new DomainError('list_too_costly', wordsOf(excess));
}

function wordsOf({ kind, field, has, most, rows }: Excess): string {
  const among = `among ${rows} deals`;
  if (kind === 'order')
    return `the list costs too much: it sorts by ${has + 1} fields, and at most ${most + 1} are possible ${among}: leave out ${has - most} of them`;
  // Only v3 lists can name a place twice.
  const name = kind === 'near' ? 'lat_long' : field.replace(/_(text|slug|id)$/, '');
  return `the list costs too much: it has ${has} conditions ${name}, and at most ${most} are possible ${among}: leave out ${has - most} of them`;
}
