import { LONGEST_EMAIL } from './bounds/calls.js';

const BEFORE = /^[\w.!#$%&'*+/=?^`{|}~-]+$/;
/** A part of a domain between two dots. */
const PART = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/i;

/**
 * What is wrong with an e-mail address; undefined for one that `<input type=email>` of HTML takes (ruling I6). That is one
 * address without a name, quotes or comments: nothing else in it could name another recipient, or none.
 * @returns a text that follows "must be an e-mail address: "
 */
export function emailFault(text: string): string | undefined {
  if (text.length > LONGEST_EMAIL) return `it has more than ${LONGEST_EMAIL} characters`;
  if (/[\s\p{Cc}]/u.test(text)) return 'it has a blank or a control character';
  const [before = '', domain, ...more] = text.split('@');
  if (domain === undefined) return 'it has no @';
  if (more.length > 0) return 'it has more than one @';
  if (before === '') return 'nothing is before its @';
  if (!BEFORE.test(before)) return "before its @ it may have only a-z, 0-9 and .!#$%&'*+/=?^_`{|}~-";
  if (domain === '') return 'nothing is after its @';
  if (/[^\0-\x7f]/.test(domain)) return 'write its domain in punycode, such as xn--mnchen-3ya.example';
  if (!domain.split('.').every((part) => PART.test(part)))
    return 'its domain must be parts of a-z, 0-9 and - inside, at most 63 characters each, with one dot between two';
  return undefined;
}
