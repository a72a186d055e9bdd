import { Durations } from '#kernel';
import type { Caller } from './call.js';

/** Whose request it was. `nobody`: no credential, or none that counts. */
export type CallerKind = 'partner' | 'user' | 'operator' | 'auditor' | 'nobody';

/** Counts of requests with one method, route and status. */
export interface RequestCount {
  readonly method: string;
  /** The route's template, such as `/deals/:deal_id`; `none` if no route matched. */
  readonly route: string;
  /** `0`: the caller left before an answer began. */
  readonly status: number;
  readonly count: number;
}

/**
 * Counts the requests of this process, for metrics: numbers alone, no id of anybody. The routes of the service bound how much it
 * keeps, because a path without a route counts as `none`.
 */
export class RequestFigures {
  readonly #counts = new Map<string, Map<string, Map<number, number>>>();
  /** How long they took, by whose they were. */
  readonly durations: Readonly<Record<CallerKind, Durations>> = {
    partner: new Durations(),
    user: new Durations(),
    operator: new Durations(),
    auditor: new Durations(),
    nobody: new Durations(),
  };
  /** All of them together. */
  readonly all = new Durations();
  /** By the code of the refusal, or by its error type if it has none. */
  readonly refusals = new Map<string, number>();
  /** Requests that have begun and not ended. */
  running = 0;

  /** A request was read. */
  begins(): void {
    this.running += 1;
  }

  /** Its answer was sent, or its caller has left. @param milliseconds from its head on */
  ends(method: string, route: string | undefined, status: number, milliseconds: number, caller: Caller): void {
    this.running -= 1;
    this.#count(method, route, status);
    // How long somebody watches is no time of an answer.
    if (route === STREAM) return;
    this.durations[kindOf(caller)].note(milliseconds);
    this.all.note(milliseconds);
  }

  /** A request that was refused before it had a route. */
  noteEarly(method: string | null, status: number): void {
    this.#count(method ?? 'other', undefined, status);
  }

  /** @param code a domain code or an error type: both are few */
  refused(code: string): void {
    this.refusals.set(code, (this.refusals.get(code) ?? 0) + 1);
  }

  get counts(): readonly RequestCount[] {
    return [...this.#counts].flatMap(([route, methods]) =>
      [...methods].flatMap(([method, counts]) =>
        [...counts].map(([status, count]) => ({ method, route, status, count })),
      ),
    );
  }

  #count(method: string, route: string | undefined, status: number): void {
    const counts = this.#counts.get(route ?? 'none')?.get(method) ?? this.#begin(route ?? 'none', method);
    counts.set(status, (counts.get(status) ?? 0) + 1);
  }

  #begin(route: string, method: string): Map<number, number> {
    const methods = this.#counts.get(route) ?? new Map<string, Map<number, number>>();
    this.#counts.set(route, methods);
    // Of a path without a route, the caller chooses the method.
    const named = METHODS.has(method) ? method : 'other';
    const counts = methods.get(named) ?? new Map<number, number>();
    methods.set(named, counts);
    return counts;
  }
}

/** A stream that lasts as long as somebody reads it. */
const STREAM = '/console/live';

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH']);

function kindOf(caller: Caller): CallerKind {
  if (caller.kind === 'partner') return caller.token === undefined ? 'partner' : 'user';
  return caller.kind === 'operator' ? caller.role : 'nobody';
}
