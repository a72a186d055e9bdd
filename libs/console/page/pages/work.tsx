import type { VNode } from 'preact';
import { change } from '../api.js';
import { count, span, words } from '../format.js';
import { Action, quoted } from '../ui/action.js';
import { Empty, Show, useLoaded } from '../ui/loaded.js';
import { Facts, Go, Head, Part, State, When, Words } from '../ui/parts.js';
import { Table } from '../ui/table.js';

interface WorkList {
  readonly list: string;
  readonly does: string;
  readonly waiting: number | null;
  readonly due: number | null;
  readonly stuck: number | null;
  readonly age: number | null;
}

interface Work {
  readonly list: string;
  readonly key: string;
  readonly state: string;
  readonly about: readonly { readonly name: string; readonly id: string }[];
  readonly does: string;
  readonly due_at: string;
  readonly age: number | null;
  readonly tries: number | null;
  readonly last_error: string | null;
  readonly next_try_at: string | null;
  readonly instead_of_abandoning: string | null;
  readonly todo: string;
}

const rank = ({ stuck, due }: WorkList): number => (stuck ?? 0) * 1_000_000 + (due ?? 0);

/** All work lists, those with stuck work first. */
export function WorkPage(): VNode {
  const loaded = useLoaded<{ readonly lists: readonly WorkList[] }>('/operators/work?per_page=1000', 2_000);
  return (
    <>
      <Head title="Work" />
      <p class="soft">What the service does by itself, later or again. Work that was tried ten times is stuck.</p>
      <Show of={loaded}>
        {({ lists }) => (
          <Table
            label="Work lists, those with stuck work first"
            rows={lists.toSorted((one, other) => rank(other) - rank(one))}
            total={lists.length}
            keyOf={({ list }) => list}
            columns={[
              { name: 'List', cell: ({ list }) => <Go to={`/work/${list}`}>{words(list)}</Go> },
              { name: 'Stuck', number: true, cell: ({ stuck }) => known(stuck) },
              { name: 'Due', number: true, cell: ({ due }) => known(due) },
              { name: 'Waiting', number: true, wide: true, cell: ({ waiting }) => known(waiting) },
              { name: 'Oldest', number: true, wide: true, cell: ({ age }) => (age === null ? '–' : span(age * 1_000)) },
              { name: 'What it does', wide: true, cell: ({ does }) => does },
            ]}
          />
        )}
      </Show>
    </>
  );
}

const known = (of: number | null): string => (of === null ? 'unknown' : count(of));

/** The pages of what work is about. */
const ABOUT: Readonly<Record<string, string>> = {
  purchase_id: '/purchases/',
  coupon_id: '/coupons/',
  deal_id: '/deals/',
  user_id: '/users/',
  batch_id: '/batches/',
  partner_id: '/partners/',
};

/** The open work of one list, what is due the longest first. */
export function WorkListPage({ list }: { readonly list: string }): VNode {
  const path = `/operators/work/${encodeURIComponent(list)}`;
  const loaded = useLoaded<{ readonly work: readonly Work[] }>(`${path}?per_page=100`, 5_000);
  return (
    <>
      <Head kind="Work" all="/work" title={words(list)} />
      <Show of={loaded}>
        {({ work }) =>
          work.length === 0 ? (
            <Empty title="Nothing is open.">What is due or waits is listed here.</Empty>
          ) : (
            <>
              {work.map((each) => (
                <OneWork key={each.key} path={path} of={each} again={loaded.again} />
              ))}
            </>
          )
        }
      </Show>
    </>
  );
}

function OneWork({ path, of, again }: { readonly path: string; readonly of: Work; readonly again: () => void }): VNode {
  const { list, key, state, about, does, due_at, age, tries, last_error, next_try_at, instead_of_abandoning, todo } =
    of;
  const one = `${path}/${encodeURIComponent(key)}`;
  const named = `${quoted(list)} ${quoted(key)}`;
  return (
    <Part
      title={about.map(({ id }) => id).join(', ') || key}
      aside={
        <div class="row">
          {state !== 'waiting' && (
            <Action
              label="Try again now"
              does={`Tries it at once, whatever pause it has: ${does}`}
              command={() => `work retry ${named}`}
              run={() => change('POST', `${one}/retry`)}
              says="It is tried again."
              after={again}
            />
          )}
          {instead_of_abandoning === null && (
            <Action
              label="Abandon"
              does="Ends it for good, because it will never succeed."
              forEver
              fields={[{ name: 'reason', label: 'Reason, which the log keeps: name no person', kind: 'lines' }]}
              command={({ reason }) => `work abandon ${named} --reason ${quoted(reason || '…')}`}
              run={({ reason }) => change('POST', `${one}/abandon`, { reason })}
              says="It is abandoned."
              after={again}
            />
          )}
        </div>
      }
    >
      <p class="row">
        <State of={state} tone={state === 'stuck' ? 'bad' : state === 'due' ? 'warn' : 'calm'} />
        <span>
          <Words of={todo} />
        </span>
      </p>
      {last_error !== null && (
        <p class="note bad">
          <strong>Its last try failed:</strong> {last_error}
        </p>
      )}
      <Facts
        of={[
          ...about.map(({ name, id }) => {
            const page = ABOUT[name];
            return [
              words(name),
              page === undefined ? id : <Go to={`${page}${encodeURIComponent(id)}`}>{id}</Go>,
            ] as const;
          }),
          ['Due', <When at={due_at} />],
          ['Open for', age === null ? null : span(age * 1_000)],
          ['Tries', tries],
          ['Next try', <When at={next_try_at} />],
          ['Instead of abandoning', instead_of_abandoning ?? undefined],
        ]}
      />
    </Part>
  );
}
