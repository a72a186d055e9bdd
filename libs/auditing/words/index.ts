export type { Phrase, StreamWords } from './phrase.js';
export { WORDS, wordsOf } from './table.js';
