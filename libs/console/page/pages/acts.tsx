import type { VNode } from 'preact';
import { send } from '../api.js';
import { things } from '../format.js';
import { filterBy, place } from '../router.js';
import { Empty, Show, useAnswer } from '../ui/loaded.js';
import { Head } from '../ui/parts.js';
import { type Event, Timeline } from '../ui/timeline.js';

const LAST = 200;

/** What operators did, the newest first. */
export function ActsPage(): VNode {
  const actor = place.value.query.get('actor') ?? '';
  const path = `/auditors/log?actor=${encodeURIComponent(actor || 'operator')}&last=${LAST}`;
  const loaded = useAnswer(async (signal) => {
    const lines = (
      await (await send('GET', path, { signal, headers: { accept: 'application/x-ndjson' } })).text()
    ).split('\n');
    return lines.filter((line) => line.startsWith('{"position"')).map((line) => JSON.parse(line) as Event);
  }, path);
  return (
    <>
      <Head title="What operators did" />
      <form
        class="filters"
        role="search"
        aria-label="Filters of what operators did"
        onSubmit={(event) => event.preventDefault()}
      >
        <label class="field">
          <span>Who</span>
          <input
            type="text"
            placeholder="operator:ann"
            defaultValue={actor}
            autoComplete="off"
            onChange={({ currentTarget: { value } }) =>
              filterBy(new URLSearchParams(value.trim() === '' ? {} : { actor: value.trim() }), {})
            }
          />
        </label>
      </form>
      <Show of={loaded}>
        {(events) =>
          events.length === 0 ? (
            <Empty title="Nobody has changed anything.">
              Each change that an operator makes has an event with their name.
            </Empty>
          ) : (
            <>
              <p class="soft">
                The last {things(events.length, 'act')}, the newest first. <code>holdfast actions list</code> shows the
                same.
              </p>
              <Timeline events={events} newestFirst />
            </>
          )
        }
      </Show>
    </>
  );
}
