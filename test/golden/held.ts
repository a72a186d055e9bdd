import type { Answer, Json } from '../support/running-service.js';
import type { RecordedAnswer } from './recording.js';

/** Everything that the recorded answer says, as this build says it; this build may say more, with a later version of an event. */
function comparable(expected: Json, now: Json, name = ''): unknown {
  if (Array.isArray(expected) && Array.isArray(now)) {
    return now.map((each, index) => (index < expected.length ? comparable(expected[index], each) : each));
  }
  if (typeof expected === 'object' && expected !== null && typeof now === 'object' && now !== null) {
    return Object.fromEntries(Object.keys(expected).map((key) => [key, comparable(expected[key], now[key], key)]));
  }
  const versionless = (of: string): string => of.replace(/\.v\d+$/, '');
  if (name === 'type' && typeof now === 'string' && versionless(now) === versionless(String(expected))) return expected;
  return now;
}

/** Where an answer differs from the recorded one: an excerpt, because an answer has some 20 000 characters. */
function differsAt(to: RecordedAnswer, now: { readonly text: string; readonly base64: string }): unknown {
  const [expected, is] = to.base64 === undefined ? [to.text ?? '', now.text] : [to.base64, now.base64];
  if (expected === is) return 'nowhere';
  let at = 0;
  while (expected[at] === is[at]) at += 1;
  const excerpt = (of: string): string => of.slice(Math.max(0, at - 100), at + 100);
  return { at, was: excerpt(expected), is: excerpt(is) };
}

/** The answer in a form that the contract of the request compares with the recorded one. */
export function held(to: RecordedAnswer, { status, headers, text, bytes }: Answer): unknown {
  const whole = { status, type: headers['content-type'] };
  switch (to.contract) {
    case 'bytes':
      return { ...whole, differs: differsAt(to, { text, base64: bytes.toString('base64') }) };
    case 'says':
      return { status, says: comparable(JSON.parse(to.text ?? ''), JSON.parse(text)) };
    case 'shows':
      return { status, shows: to.words?.filter((word) => text.includes(word)) };
    case 'refuses':
      return { status, error: JSON.parse(text).error_type };
  }
}

/** The recorded answer in that form. */
export function heldTo(to: RecordedAnswer): unknown {
  const answer = {
    ...{ status: to.status, headers: { 'content-type': to.type }, text: to.text ?? '', body: undefined },
    bytes: Buffer.from(to.base64 ?? '', 'base64'),
  };
  return held(to, answer);
}
