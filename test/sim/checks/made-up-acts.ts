import type { Act, Meaning, Try } from '../workload/history.js';

/** An answer as a client has it; `lost` for none. */
export type MadeUpAnswer = 'lost' | { readonly status: number; readonly body: object };

/** An act about the deal `spa` with one try, which was sent at 0 and had this answer at 10. */
export function act(meaning: Meaning, answer: MadeUpAnswer, more: Partial<Act> = {}): Act {
  const reply: Try['reply'] =
    answer === 'lost'
      ? { kind: 'lost' }
      : { kind: 'answer', answer: { status: answer.status, headers: {}, text: JSON.stringify(answer.body) } };
  const tried: Try = { sent: 0, ended: 10, clockSent: 1_000, clockEnded: 1_000, times: 1, reply };
  const request = { method: 'POST', path: '/x', credential: { token: 't' } } as const;
  return { operation: 1, kind: meaning.type, request, key: undefined, meaning, tries: [tried], ...more };
}
