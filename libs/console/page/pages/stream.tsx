import type { VNode } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { get, type Failure } from '../api.js';
import { things } from '../format.js';
import { place } from '../router.js';
import { quoted } from '../ui/action.js';
import { Empty, Failed, failureOf, Waiting } from '../ui/loaded.js';
import { Go, Head, Part } from '../ui/parts.js';
import { type Event, Timeline } from '../ui/timeline.js';

interface PartOfStream {
  readonly events: readonly Event[];
  readonly next: number | null;
}

/** The pages of what streams are about. */
const ABOUT: Readonly<Record<string, string>> = {
  deal: '/deals/',
  inventory: '/deals/',
  purchase: '/purchases/',
  reservation: '/purchases/',
  coupon: '/coupons/',
  user: '/users/',
  batch: '/batches/',
  partner: '/partners/',
};

/** The events of one stream, from one of them on. */
export function StreamPage({ stream }: { readonly stream: string }): VNode {
  const from = Number(place.value.query.get('from') ?? 0);
  const path = `/auditors/streams/${encodeURIComponent(stream)}`;
  const [events, setEvents] = useState<readonly Event[]>();
  const [next, setNext] = useState<number | null>(null);
  const [failure, setFailure] = useState<Failure>();
  const read = (at: number, before: readonly Event[]): void => {
    get<PartOfStream>(`${path}?from=${at}&limit=100`).then(
      (part) => {
        setEvents([...before, ...part.events]);
        setNext(part.next);
      },
      (error: unknown) => setFailure(failureOf(error)),
    );
  };
  useEffect(() => {
    setEvents(undefined);
    setFailure(undefined);
    read(from, []);
  }, [stream, from]);
  const [category = ''] = stream.split('-', 1);
  const about = ABOUT[category];
  return (
    <>
      <Head kind="Stream" title={<code>{stream}</code>} />
      <p class="row">
        {about !== undefined && (
          <Go to={`${about}${encodeURIComponent(stream.slice(category.length + 1))}`}>What it is about</Go>
        )}
        {from > 0 && <Go to={`/streams/${encodeURIComponent(stream)}`}>From its beginning</Go>}
      </p>
      {failure !== undefined && <Failed failure={failure} />}
      {events === undefined && failure === undefined && <Waiting />}
      {events?.length === 0 && (
        <Empty title="There are no such events.">The stream may have another name, or fewer events.</Empty>
      )}
      {events !== undefined && events.length > 0 && (
        <Part title={from === 0 ? 'Events' : `Events from ${from} on`}>
          <Timeline events={events} />
          <p class="row">
            <span class="soft">{things(events.length, 'event')} shown.</span>
            {next !== null && (
              <button type="button" class="plain" onClick={() => read(next, events)}>
                More
              </button>
            )}
          </p>
        </Part>
      )}
      <p class="soft">
        The same in a terminal:{' '}
        <code>{`holdfast events stream ${quoted(stream)}${from > 0 ? ` --from ${from}` : ''}`}</code>
      </p>
    </>
  );
}
