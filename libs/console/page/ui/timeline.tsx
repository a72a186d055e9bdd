import type { ComponentChildren, VNode } from 'preact';
import { useState } from 'preact/hooks';
import { span, words } from '../format.js';
import { Bytes, Facts, Go, When } from './parts.js';

/** An event, as auditors see it. */
export interface Event {
  readonly position: string;
  readonly stream: string;
  readonly revision: number;
  readonly type: string;
  readonly words: string;
  readonly time: string;
  readonly actor: string;
  readonly cause: string | null;
  readonly data?: Readonly<Record<string, unknown>>;
  /** The state that it led to, where it is known. */
  readonly state?: Readonly<Record<string, unknown>>;
}

/** The page of an event, which is named `stream@revision`. */
export function eventPath(name: string): string {
  const at = name.lastIndexOf('@');
  return `/streams/${encodeURIComponent(name.slice(0, at))}?from=${name.slice(at + 1)}`;
}

/** Events in words, in order, with their causes and the time since the one before. */
export function Timeline({
  events,
  newestFirst = false,
}: {
  readonly events: readonly Event[];
  readonly newestFirst?: boolean;
}): VNode {
  return (
    <ol class="timeline">
      {events.map((event, nth) => (
        <OneEvent key={event.position} event={event} before={newestFirst ? undefined : events[nth - 1]} />
      ))}
    </ol>
  );
}

function OneEvent({ event, before }: { readonly event: Event; readonly before: Event | undefined }): VNode {
  const [isOpen, setOpen] = useState(false);
  const { stream, revision, type, words: said, time, actor, cause, data, state, position } = event;
  const since = before === undefined ? undefined : Date.parse(time) - Date.parse(before.time);
  return (
    <li>
      <p class="when">
        <When at={time} />
        {since !== undefined && (
          <span class="soft"> {since === 0 ? 'at the same moment' : `after ${span(since)}`}</span>
        )}
        <span class="soft"> · </span>
        <span class="soft" title="who">
          {actor}
        </span>
        {cause !== null && (
          <span class="soft">
            {' · because of '}
            <Go to={eventPath(cause)}>{cause}</Go>
          </span>
        )}
      </p>
      <p class="said">
        <Said of={said} />
      </p>
      {(data !== undefined || state !== undefined) && (
        <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
          <summary>
            {words(type.replace(/\.v\d+$/, ''))} <span class="soft">bytes and state after it</span>
          </summary>
          {isOpen && (
            <div class="stack">
              <Facts
                of={[
                  ['Event', <Go to={eventPath(`${stream}@${revision}`)}>{`${stream}@${revision}`}</Go>],
                  ['Type', <code>{type}</code>],
                  ['Position', position],
                  ...Object.entries(state ?? {}).map(([name, value]): readonly [string, ComponentChildren] => [
                    `${words(name)} after it`,
                    plain(value),
                  ]),
                ]}
              />
              {data !== undefined && <Bytes of={data} />}
            </div>
          )}
        </details>
      )}
    </li>
  );
}

const INSTANTS = /(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?Z)/;

/** What happened, with its instants as moments in the zone of whoever looks. */
function Said({ of }: { readonly of: string }): VNode {
  return <>{of.split(INSTANTS).map((part, nth) => (nth % 2 === 1 ? <When key={nth} at={part} /> : part))}</>;
}

/** A value of a state as text. */
function plain(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.map(plain).join('; ');
  if (typeof value === 'object')
    return Object.entries(value)
      .map(([name, part]) => `${words(name)} ${plain(part) ?? '–'}`)
      .join(', ');
  return typeof value === 'string' ? value : JSON.stringify(value);
}
