import type { Answer, RunningService } from './running-service.js';

/** An answer to a partner, and how an auditor gets it again. */
export interface Recorded {
  /** The call and its status, for failures. */
  readonly call: string;
  /** The path under `/auditors`, without `as_of`. */
  readonly then: string;
  readonly asOf: string;
  readonly text: string;
}

/** The form of `Holdfast-As-Of`. */
export const AS_OF_FORM = /^\d+@\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z~[1-9]\d*$/;

/** The value of `Holdfast-As-Of` of an answer. @throws Error if it has none */
export function asOfOf(answer: Answer): string {
  const value = answer.headers['holdfast-as-of'];
  if (typeof value !== 'string' || !AS_OF_FORM.test(value))
    throw new Error(`${answer.status} ${answer.text.slice(0, 200)} has Holdfast-As-Of ${String(value)}`);
  return value;
}

/** Records an answer that shows one thing. @param then such as `purchases/01a2?shape=reseller` */
export function recorded(call: string, answer: Answer, then: string): Recorded {
  if (answer.status !== 200) throw new Error(`${call}: ${answer.status} ${answer.text}`);
  return { call, then, asOf: asOfOf(answer), text: answer.text };
}

/** Asks for an answer of then. */
export function askThen(service: RunningService, { then, asOf }: Pick<Recorded, 'then' | 'asOf'>): Promise<Answer> {
  const as_of = encodeURIComponent(asOf);
  return service.ask('GET', `/auditors/${then}${then.includes('?') ? '&' : '?'}as_of=${as_of}`, {
    token: service.auditorToken,
  });
}

/** The recorded answers that are not the same when they are asked for again, each with where it differs. */
export async function different(
  service: RunningService,
  answers: readonly Recorded[],
): Promise<readonly { readonly call: string; readonly asOf: string; readonly text: string; readonly now: string }[]> {
  const found: { call: string; asOf: string; text: string; now: string }[] = [];
  for (const each of answers) {
    const { status, text, headers } = await askThen(service, each);
    if (status === 200 && text === each.text && headers['holdfast-as-of'] === each.asOf) continue;
    const { call, asOf } = each;
    let at = 0;
    while (at < text.length && text[at] === each.text[at]) at += 1;
    at = Math.max(0, at - 40);
    const part = (of: string): string => of.slice(at, at + 200);
    const now = `${status} ${String(headers['holdfast-as-of'])} …${part(text)}`;
    found.push({ call, asOf, text: `…${part(each.text)}`, now });
  }
  return found;
}
