/** ASCII changes only its case: most texts are folded in one step. */
const ASCII = /^[\0-\x7f]*$/;
/** The accents of Latin, Greek and Cyrillic letters. The marks of other scripts are letters of their own, such as vowels. */
const ACCENTS = /[\u0300-\u036f]/g;
/** Letters that Unicode does not take apart. */
const LETTERS: Readonly<Record<string, string>> = { æ: 'ae', œ: 'oe', ø: 'o', ł: 'l', đ: 'd' };
/** What keyboards and text programs write for an apostrophe, and for a hyphen. */
const APOSTROPHES = /[\u00b4\u2018\u2019\u201b\u02bc\u2032]/g;
const DASHES = /[\u2010-\u2015\u2212]/g;

/**
 * Folds text for `contains`, so that case, accents, the form of apostrophes and hyphens, and compatibility forms do not
 * matter (rulings C3, C4). It uses upper case, because only there `ß` and `ss` are equal (and lower case first, because `ẞ`
 * is its own upper case). A final sigma, which lower case produces, would hide a part.
 */
export function foldText(text: string): string {
  if (ASCII.test(text)) return text.toLowerCase();
  return text
    .replace(APOSTROPHES, "'")
    .normalize('NFKC')
    .toLowerCase()
    .toUpperCase()
    .toLowerCase()
    .replaceAll('ς', 'σ')
    .normalize('NFKD')
    .replace(ACCENTS, '')
    .replace(/[æœøłđ]/g, (letter) => LETTERS[letter] ?? letter)
    .replace(DASHES, '-')
    .normalize('NFKC');
}

/**
 * The words of a name, as people may write it: without case, accents and punctuation. An apostrophe belongs to its word:
 * `Coeur d’Alene` has the words `coeur` and `dalene`, `Winston-Salem` the words `winston` and `salem`.
 */
export function wordsOf(name: string): readonly string[] {
  return foldText(name)
    .replaceAll("'", '')
    .split(/[^\p{L}\p{M}\p{N}]+/u)
    .filter((word) => word !== '');
}
