import { views } from '#platform/model';
import { type Act, isFinal, isForgotten, outcomeOf, type Try } from '../workload/history.js';
import type { Answer, Installation } from '../world/installation.js';
import { OPERATOR } from '../world/service-process.js';
import { Violation } from './violation.js';

/** The orders and reads that name no generation. */
const REBUILD = /^\/operators\/projections\/([\w-]+)\/(?:rebuild|generations)$/;
const VIEWS: ReadonlySet<string> = new Set(views.map(({ name }) => name));

/** What every answer must be, whatever was asked. */
export class Answers {
  /** Whether nothing fails any more, and every process is up. */
  calm = false;
  /** The first final answer under each key. */
  readonly #kept = new Map<string, { readonly act: Act; readonly answer: Answer }>();

  constructor(private readonly installation: Installation) {}

  /** @throws Violation */
  check(act: Act, { reply }: Try): void {
    if (reply?.kind !== 'answer') return;
    const { answer } = reply;
    const { status, headers, text } = answer;
    const where = `${act.request.method} ${act.request.path} (${act.kind} ${act.operation ?? ''})`;
    const said = `${status} ${text.slice(0, 300)}`;
    if (status === 500 || status > 503) throw new Violation('no answer is 500', where, said);
    if (status === 503 && (this.calm || headers['retry-after'] === undefined))
      throw new Violation('503 only while something is broken, with Retry-After', where, said);
    if (status === 400 || status === 405 || (status === 429 && !showsPassword(act)))
      throw new Violation('every request is well formed', where, said);
    const [, view] = REBUILD.exec(act.request.path) ?? [];
    if (status === 404 && VIEWS.has(view ?? '')) throw new Violation('operators find every projection', where, said);
    if (status === 401 && isLasting(act)) throw new Violation('a valid credential works', where, said);
    const position = Number(headers['holdfast-position'] ?? 0);
    if (position > Number(this.installation.log.events.at(-1)?.position ?? 0))
      throw new Violation('an acknowledged write is in the log', where, `position ${position}: ${said}`);
    // A credential that is none any more is refused before its key counts.
    if (act.key !== undefined && isFinal(answer) && status !== 401) this.#repeated(act, act.key, answer, where);
  }

  #repeated(act: Act, key: string, answer: Answer, where: string): void {
    const first = this.#kept.get(key);
    if (first === undefined) {
      this.#kept.set(key, { act, answer });
      return;
    }
    if (first.act !== act) {
      if (answer.status !== 422 && !isForgotten(first.act, act))
        throw new Violation('a key is for one request', where, `${answer.status} ${answer.text.slice(0, 300)}`);
      return;
    }
    const position = (of: Answer): string | undefined => of.headers['holdfast-position'];
    const same =
      first.answer.status === answer.status &&
      first.answer.text === answer.text &&
      // The answer to an import begins before its position is known; its repeats have it.
      [undefined, position(answer)].includes(position(first.answer));
    if (!same && !isForgotten(act) && !showsSecrets(act, first.answer) && outcomeOf(act) !== undefined)
      throw new Violation(
        'a repeat has the same answer',
        where,
        `${answer.status} ${answer.text}, first ${first.answer.status} ${first.answer.text}`,
      );
  }
}

/** Whether a credential is valid all the time: the first key of a partner, and the operator's token. */
function isLasting({ request: { credential } }: Act): boolean {
  return 'key' in credential || credential.token === OPERATOR;
}

/** A v3 password may have been replaced; after many wrong ones, the next has to wait. */
function showsPassword({ request: { headers } }: Act): boolean {
  return headers?.['authorization']?.startsWith('Basic ') === true;
}

/** An answer that shows a secret once is kept without it. */
function showsSecrets({ request: { path } }: Act, { text }: Answer): boolean {
  if (path === '/operators/tokens') return true;
  return ['"api_key"', '"password"', '"access_token"'].some((name) => text.includes(name));
}
