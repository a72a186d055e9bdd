import { beginning } from '#kernel';
import { LONGEST_REPLY } from '#kernel/bounds';

/** Words that a server should not repeat. */
export type Hidden = readonly string[];

/** An address, or something with one in it; encoded secrets and ids. */
const TELLING = [/\S*@\S*/g, /[\w+/=%-]{24,}/g];
/** Shorter words are too common to reveal anything. */
const SHORTEST = 2;
/** Characters that mean something in an expression. */
const SYNTAX = /[\\^$.*+?()[\]{}|/]/g;

/**
 * A server's reply for people: in one short line, without the words to hide, addresses and encoded texts. Servers repeat
 * addresses in their replies, and outcomes are kept for ever.
 */
export function replyOf(reply: string, hidden: Hidden): string {
  let words = reply.replaceAll(/\p{C}+|\s+/gu, ' ').trim();
  for (const each of TELLING) words = words.replaceAll(each, '…');
  for (const word of hidden.filter(({ length }) => length >= SHORTEST)) {
    words = words.replaceAll(new RegExp(word.replaceAll(SYNTAX, String.raw`\$&`), 'giu'), '…');
  }
  return words.length > LONGEST_REPLY ? `${beginning(words, LONGEST_REPLY)}…` : words;
}

/** What an address reveals about its owner: its two parts. */
export function partsOf(address: string): Hidden {
  const at = address.lastIndexOf('@');
  return [address.slice(0, at), address.slice(at + 1)];
}
