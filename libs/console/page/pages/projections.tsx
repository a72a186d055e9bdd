import type { VNode } from 'preact';
import { change, Failure, send } from '../api.js';
import { count, span, things } from '../format.js';
import { Action } from '../ui/action.js';
import { Show, useLoaded } from '../ui/loaded.js';
import { Facts, Figure, Go, Head, Part, State } from '../ui/parts.js';
import { Table } from '../ui/table.js';

interface Projection {
  readonly view: string;
  readonly version: number;
  readonly generation: number | null;
  readonly state: string;
  readonly position: string;
  readonly lag_events: number | null;
  readonly lag_seconds: number;
  readonly last_error: string | null;
  /** The event that it cannot take. */
  readonly stopped_at?: { readonly position: string; readonly event: string } | null;
}

interface Generation {
  readonly number: number;
  readonly state: string;
  readonly position: string;
  readonly progress: number;
  readonly events_per_second: number;
  readonly time_left: number | null;
  readonly last_error: string | null;
}

interface All {
  readonly projections: readonly Projection[];
}

const rank = ({ state, lag_events }: Projection): number => (state === 'live' ? 0 : 1_000_000) + (lag_events ?? 1);

/** All views, those that need somebody first. */
export function ProjectionsPage(): VNode {
  const loaded = useLoaded<All>('/operators/projections', 2_000);
  return (
    <>
      <Head title="Projections" />
      <p class="soft">Tables that are built from the log. Each can be built again beside the live one.</p>
      <Show of={loaded}>
        {({ projections }) => (
          <Table
            label="Projections"
            rows={projections.toSorted((one, other) => rank(other) - rank(one))}
            total={projections.length}
            keyOf={({ view }) => view}
            columns={[
              { name: 'View', cell: ({ view }) => <Go to={`/projections/${view}`}>{view}</Go> },
              { name: 'State', cell: ({ state }) => <State of={state} /> },
              {
                name: 'Behind',
                number: true,
                cell: ({ lag_events }) => (lag_events === null ? 'unknown' : things(lag_events, 'event')),
              },
              { name: 'Lag', number: true, wide: true, cell: ({ lag_seconds }) => span(lag_seconds * 1_000) },
              { name: 'Generation', number: true, wide: true, cell: ({ generation }) => generation ?? '–' },
              { name: 'Version', number: true, wide: true, cell: ({ version }) => version },
            ]}
          />
        )}
      </Show>
    </>
  );
}

/** One view: its generations, and how they are built, promoted and dropped. */
export function ProjectionPage({ view }: { readonly view: string }): VNode {
  const path = `/operators/projections/${encodeURIComponent(view)}`;
  const all = useLoaded<All>('/operators/projections', 1_000);
  const builds = useLoaded<{ readonly generations: readonly Generation[] }>(`${path}/generations`, 1_000);
  const again = (): void => {
    all.again();
    builds.again();
  };
  return (
    <>
      <Show of={all} head={<Head kind="Projection" all="/projections" title={view} />}>
        {({ projections }) => {
          const one = projections.find((each) => each.view === view);
          return (
            <>
              <Head kind="Projection" all="/projections" title={view} state={one && <State of={one.state} />}>
                <Action
                  label="Build again"
                  does="Builds a generation from the whole log, beside the live one. Callers read the live one until you promote the new one."
                  command={() => `projections rebuild ${view} --detach`}
                  run={() => change('POST', `${path}/rebuild`)}
                  says="A new generation is being built."
                  after={again}
                />
                {one?.state === 'stopped' && (
                  <>
                    <Action
                      label="Try again"
                      does="Makes the view try the event again at which it has stopped."
                      command={() => `projections resume ${view}`}
                      run={() => change('POST', `${path}/resume`)}
                      says="The view tries again."
                      after={again}
                    />
                    <Action
                      label="Skip the event"
                      does="Leaves the event out at which the view has stopped. What it would have changed is missing then."
                      forEver
                      command={() => `projections skip ${view} --position ${one.stopped_at?.position ?? '…'}`}
                      run={() => change('POST', `${path}/skip`, { position: one.stopped_at?.position })}
                      says="The event was skipped."
                      after={again}
                    />
                  </>
                )}
              </Head>
              {typeof one?.last_error === 'string' && <p class="note bad">{one.last_error}</p>}
              {one !== undefined && (
                <dl class="figures">
                  <Figure
                    name="Behind"
                    value={one.lag_events === null ? 'unknown' : count(one.lag_events)}
                    unit="events"
                  />
                  <Figure name="Lag" value={span(one.lag_seconds * 1_000)} />
                  <Figure name="Live generation" value={one.generation ?? 'none'} />
                  <Figure name="Position" value={count(Number(one.position))} />
                </dl>
              )}
            </>
          );
        }}
      </Show>
      <Show of={builds}>
        {({ generations }) => (
          <>
            {generations
              .toSorted((one, other) => other.number - one.number)
              .map((each) => (
                <OneGeneration
                  key={each.number}
                  view={view}
                  path={path}
                  of={each}
                  live={generations.find(({ state }) => state === 'live')}
                  again={again}
                />
              ))}
          </>
        )}
      </Show>
    </>
  );
}

function OneGeneration({
  view,
  path,
  of,
  live,
  again,
}: {
  readonly view: string;
  readonly path: string;
  readonly of: Generation;
  readonly live: Generation | undefined;
  readonly again: () => void;
}): VNode {
  const { number, state, progress, events_per_second, time_left, last_error, position } = of;
  const isOlder = live !== undefined && number < live.number;
  return (
    <Part
      title={`Generation ${number}`}
      aside={
        <div class="row">
          {state === 'ready' && (
            <Action
              label="Compare"
              does={`Compares the rows of generation ${number} with those of the live one: how many are new, gone and different.`}
              command={() => `projections compare ${view} ${number}`}
              run={() => compare(`${path}/generations/${number}/compare`)}
              says="Compared."
              shows={(found) => <Found of={found} />}
            />
          )}
          {state === 'ready' && (
            <Action
              label={isOlder ? 'Go back to it' : 'Promote'}
              does={`Makes generation ${number} the live one, in one step. Generation ${live?.number ?? '–'} stays, so you can go back.`}
              command={() => `projections promote ${view} ${number}`}
              run={() => change('POST', `${path}/generations/${number}/promote`)}
              says={`Generation ${number} is live.`}
              after={again}
            />
          )}
          {state === 'building' && (
            <Action
              label="Cancel"
              does="Ends the build and drops what it has made."
              command={() => `projections cancel ${view} ${number}`}
              run={() => change('POST', `${path}/generations/${number}/cancel`)}
              says="The build was cancelled."
              after={again}
            />
          )}
          {state === 'ready' && (
            <Action
              label="Drop"
              does="Deletes this generation. It can be built again."
              command={() => `projections drop ${view} ${number}`}
              run={() => change('DELETE', `${path}/generations/${number}`)}
              says={`Generation ${number} is gone.`}
              after={again}
            />
          )}
        </div>
      }
    >
      <p class="row">
        <State of={state} />
        {state === 'building' && (
          <progress value={progress} max={1} aria-label={`Progress of generation ${number}`}>
            {Math.round(progress * 100)} %
          </progress>
        )}
      </p>
      <Facts
        of={[
          ['Progress', `${(progress * 100).toFixed(1)} %`],
          ['Speed', `${count(events_per_second)} events per second`],
          ['Time left', state === 'building' ? (time_left === null ? 'unknown' : span(time_left * 1_000)) : undefined],
          ['Position', count(Number(position))],
          ['Why it stopped', last_error ?? undefined],
        ]}
      />
    </Part>
  );
}

interface Compared {
  readonly rows: number;
  readonly added: number;
  readonly removed: number;
  readonly changed: number;
  readonly samples: {
    readonly added: readonly string[];
    readonly removed: readonly string[];
    readonly changed: readonly {
      readonly key: string;
      readonly fields: readonly {
        readonly field: string;
        readonly live: string | number | boolean | null;
        readonly other: string | number | boolean | null;
      }[];
    }[];
  };
}

/** Compares two generations. Lines say meanwhile how far that is, so that nothing between here and the service gives up. */
async function compare(path: string): Promise<Compared> {
  const headers = { 'content-type': 'application/json', accept: 'application/x-ndjson' };
  const text = await (await send('POST', path, { headers, body: '{}' })).text();
  const last = JSON.parse(text.trim().split('\n').at(-1) ?? '') as Compared | { readonly progress: unknown };
  if ('progress' in last) throw new Failure(0, 'The comparison broke off: compare again.');
  return last;
}

/** What a comparison has found, with the first rows of each kind. */
function Found({ of: { rows, added, removed, changed, samples } }: { readonly of: Compared }): VNode {
  const sampled = [
    ...samples.added.map((key) => ({ key, is: 'new', fields: '' })),
    ...samples.removed.map((key) => ({ key, is: 'gone', fields: '' })),
    ...samples.changed.map(({ key, fields }) => ({
      ...{ key, is: 'different' },
      fields: fields.map(({ field, live, other }) => `${field}: ${String(live)} → ${String(other)}`).join(', '),
    })),
  ];
  return (
    <>
      <dl class="figures">
        <Figure name="Compared" value={count(rows)} unit="rows" />
        <Figure name="New" value={count(added)} />
        <Figure name="Gone" value={count(removed)} />
        <Figure name="Different" value={count(changed)} />
      </dl>
      {added + removed + changed === 0 ? (
        <p>Both have the same rows.</p>
      ) : (
        <Table
          label="The first rows of each kind"
          rows={sampled}
          total={sampled.length}
          keyOf={({ key, is }) => `${is} ${key}`}
          columns={[
            { name: 'Row', cell: ({ key }) => <code>{key}</code> },
            { name: 'Is', cell: ({ is }) => is },
            { name: 'Fields: live → this one', cell: ({ fields }) => fields },
          ]}
        />
      )}
    </>
  );
}
