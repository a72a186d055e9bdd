/** Names that people give to the same thing, without capitals and signs. */
const SYNONYMS: readonly (readonly string[])[] = [
  ['quantity', 'numbought', 'numberbought', 'qty', 'count', 'units', 'stock', 'inventory'],
  ['zip', 'zipcode', 'postalcode', 'postcode'],
  ['firstname', 'givenname', 'forename'],
  ['lastname', 'surname', 'familyname'],
  ['email', 'mail', 'emailaddress'],
  ['password', 'pass', 'passwd', 'pwd'],
  ['birthday', 'birthdate', 'dateofbirth', 'dob'],
  ['telephone', 'phone', 'tel', 'mobile'],
  ['verificationvalue', 'cvv', 'cvv2', 'cvc', 'csc', 'securitycode'],
  ['number', 'pan', 'cardnumber'],
  ['addressone', 'address1', 'street', 'line1'],
  ['addresstwo', 'address2', 'line2'],
  ['perpage', 'limit', 'pagesize', 'size'],
  ['transactionreference', 'orderid', 'reference'],
  ['reason', 'comment', 'note'],
  ['sort', 'order', 'orderby'],
  ['sendat', 'scheduledat', 'scheduledfor'],
  ['expiresin', 'ttl', 'lifetime'],
];

const groupOf = new Map(SYNONYMS.flatMap((names, group) => names.map((name) => [name, group] as const)));

/** Shorter names differ too little from one another to be compared letter by letter. */
const SHORTEST = 4;

/**
 * The name that a caller has probably meant: the same but for capitals and signs, one with more or fewer words, a synonym, or
 * one that differs in a few letters. Undefined if none is near, or several are.
 * @param name at most some dozens of characters: the work grows with its length times those of all known names
 */
export function nearestName(name: string, known: readonly string[]): string | undefined {
  const compact = compactOf(name);
  const group = groupOf.get(compact);
  return (
    known.find((each) => compactOf(each) === compact) ??
    onlyOne(withOtherWords(name, known)) ??
    known.find((each) => group !== undefined && groupOf.get(compactOf(each)) === group) ??
    misspelt(compact, known)
  );
}

/** Those with the fewest words more or less than the name, among those that share all words of one of both. */
function withOtherWords(name: string, known: readonly string[]): readonly string[] {
  const words = wordsOf(name);
  // `id` alone may be the id of anything.
  if (words.every((word) => word === 'id')) return [];
  const shared = known.flatMap((each) => {
    const others = wordsOf(each);
    const [few, many] = words.length < others.length ? [words, others] : [others, words];
    if (few.every((word) => word === 'id') || !few.every((word) => many.includes(word))) return [];
    return [{ each, more: many.length - few.length }];
  });
  const least = Math.min(...shared.map(({ more }) => more));
  return shared.filter(({ more }) => more === least).map(({ each }) => each);
}

function misspelt(compact: string, known: readonly string[]): string | undefined {
  if (compact.length < SHORTEST) return undefined;
  const most = compact.length < 8 ? 1 : 2;
  const near = known.flatMap((each) => {
    const other = compactOf(each);
    if (other.length < SHORTEST || Math.abs(other.length - compact.length) > most) return [];
    return [{ each, distance: distanceOf(compact, other) }];
  });
  const least = Math.min(...near.map(({ distance }) => distance));
  return least > most ? undefined : onlyOne(near.filter(({ distance }) => distance === least).map(({ each }) => each));
}

function onlyOne(names: readonly string[]): string | undefined {
  return names.length === 1 ? names[0] : undefined;
}

function wordsOf(name: string): readonly string[] {
  return name
    .replace(/([a-z])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '');
}

function compactOf(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, '');
}

/** How many letters to insert, remove, replace or exchange with their neighbour (optimal string alignment). */
function distanceOf(a: string, b: string): number {
  let before: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1;
      let least = Math.min((last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (last[j - 1] ?? 0) + same);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        least = Math.min(least, (before[j - 2] ?? 0) + 1);
      row.push(least);
    }
    before = last;
    last = row;
  }
  return last[b.length] ?? 0;
}
