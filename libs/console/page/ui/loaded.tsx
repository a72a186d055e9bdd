import type { ComponentChildren, VNode } from 'preact';
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { Failure, get } from '../api.js';

/** What was asked for, as far as it is known. */
export interface Loaded<T> {
  readonly value: T | undefined;
  readonly failure: Failure | undefined;
  /** Asks again. What is shown stays until the answer comes. */
  readonly again: () => void;
}

export const failureOf = (error: unknown): Failure =>
  error instanceof Failure ? error : new Failure(0, error instanceof Error ? error.message : 'This did not work.');

/**
 * Reads a call, and again when its path changes.
 * @param every milliseconds after which it is read again; undefined: only if somebody asks
 */
export function useLoaded<T>(path: string, every?: number): Loaded<T> {
  return useAnswer<T>((signal) => get<T>(path, signal), path, every);
}

/** The same for anything that is asked. @param key tells one question from another */
export function useAnswer<T>(ask: (signal: AbortSignal) => Promise<T>, key: string, every?: number): Loaded<T> {
  const [known, setKnown] = useState<{ readonly key: string; readonly value?: T; readonly failure?: Failure }>({ key });
  const [turn, setTurn] = useState(0);
  const asking = useRef(ask);
  asking.current = ask;
  useEffect(() => {
    const left = new AbortController();
    asking.current(left.signal).then(
      (value) => setKnown({ key, value }),
      (error: unknown) => {
        if (left.signal.aborted) return;
        setKnown((before) => ({ ...(before.key === key ? before : { key }), failure: failureOf(error) }));
      },
    );
    const timer = every === undefined ? undefined : setTimeout(() => setTurn((of) => of + 1), every);
    return () => {
      left.abort();
      clearTimeout(timer);
    };
  }, [key, turn, every]);
  const again = useCallback(() => setTurn((of) => of + 1), []);
  const { value, failure } = known.key === key ? known : {};
  return { value, failure, again };
}

/** Shows what was loaded; before, that it comes; and a failure with what to do. */
export function Show<T>({
  of: { value, failure, again },
  head,
  children,
}: {
  readonly of: Loaded<T>;
  /** What stands above while there is nothing to show: a page has a heading in every state. */
  readonly head?: VNode;
  readonly children: (value: T) => ComponentChildren;
}): VNode {
  return (
    <>
      {value === undefined && head}
      {failure !== undefined && <Failed failure={failure} again={again} />}
      {value !== undefined ? children(value) : failure === undefined && <Waiting />}
    </>
  );
}

export function Waiting(): VNode {
  return (
    <p class="waiting" role="status">
      Loading …
    </p>
  );
}

/** A failure: what it is, why, and the id under which the process log has it. */
export function Failed({ failure, again }: { readonly failure: Failure; readonly again?: () => void }): VNode {
  return (
    <div class="note bad" role="alert">
      <p>
        <strong>{failure.message}</strong>
      </p>
      {failure.detail !== undefined && <p>{failure.detail}</p>}
      <p class="row">
        {again !== undefined && (
          <button type="button" class="plain" onClick={again}>
            Try again
          </button>
        )}
        {typeof failure.requestId === 'string' && (
          <span class="soft">
            In the process log: <code>{failure.requestId}</code>
          </span>
        )}
      </p>
    </div>
  );
}

/** Says that there is nothing, and what would be here. */
export function Empty({ title, children }: { readonly title: string; readonly children?: ComponentChildren }): VNode {
  return (
    <div class="empty">
      <p>
        <strong>{title}</strong>
      </p>
      {children !== undefined && <p>{children}</p>}
    </div>
  );
}
