import type { VNode } from 'preact';
import { change, get } from '../api.js';
import { count, roughSpan, span, things } from '../format.js';
import { connected, live } from '../live.js';
import { backupProblem, type Backups, type Problem, oversold, problemsOf } from '../problems.js';
import { Figures } from '../figures.js';
import { Action } from '../ui/action.js';
import { Empty, Show, useAnswer, useLoaded, Waiting } from '../ui/loaded.js';
import { Figure, Go, Head, Part, When, Words } from '../ui/parts.js';
import { Table } from '../ui/table.js';

/** What is wrong, what happens now, and which deals sell out next. */
export function OverviewPage(): VNode {
  const { value } = live;
  const backup = useLoaded<Backups>('/operators/backup', 30_000);
  const old = backup.value === undefined ? undefined : backupProblem(backup.value);
  return (
    <>
      <Head title="Now">
        <Action
          label="Back up"
          does="Begins a backup of the service into the folder of its setting BACKUP_DIR, and answers at once."
          command={() => 'backups order'}
          run={() => change('POST', '/operators/backup')}
          says="A backup has begun."
          after={backup.again}
        />
      </Head>
      {value === undefined ? (
        <Waiting />
      ) : (
        <Problems of={[...oversold(value), ...problemsOf(value.health), ...(old === undefined ? [] : [old])]} />
      )}
      {value !== undefined && (
        <dl class="figures">
          <Figure
            name="Service"
            value={value.health.ready ? 'ready' : 'not ready'}
            tone={value.health.ready ? 'good' : 'bad'}
          />
          <Figure name="Events in the log" value={count(Number(value.health.log.head))} />
          <Figure
            name="Views behind, at most"
            value={count(Math.max(0, ...value.health.views.map(({ lag }) => lag ?? 0)))}
            unit="events"
          />
          <Figure name="Stuck work" value={value.health.stuck === null ? 'unknown' : count(value.health.stuck)} />
          {value.health.audit !== null && (
            <Figure
              name="Self-audit"
              value={
                value.health.audit.progress === null
                  ? value.health.audit.age === null
                    ? 'not yet'
                    : `${roughSpan(value.health.audit.age * 1_000)} ago`
                  : `${Math.min(100, Math.round(value.health.audit.progress * 100))} %`
              }
            />
          )}
        </dl>
      )}
      <Figures />
      <Hottest />
      <p class="soft">
        {connected.value ? 'Values of this second' : 'The stream of values is interrupted; it comes back by itself'}
        {value !== undefined && (
          <>
            : <When at={value.now} />
          </>
        )}
        . <code>holdfast health show</code> shows the same.
      </p>
    </>
  );
}

function Problems({ of }: { readonly of: readonly Problem[] }): VNode {
  return (
    <section aria-label="What is wrong" class="problems">
      {of.length === 0 ? (
        <p class="note good">
          <strong>Nothing is wrong.</strong> The log takes events, all views follow it, and no work is stuck.
        </p>
      ) : (
        of.map(({ tone, what, todo, to }) => (
          <div key={what} class={`note ${tone}`}>
            <p>
              <strong>
                <Words of={what} />
              </strong>
            </p>
            <p>
              <Words of={todo} /> {to !== undefined && <Go to={to}>Go there</Go>}
            </p>
          </div>
        ))
      )}
    </section>
  );
}

interface Sale {
  readonly deal_id: string;
  readonly number_bought: number;
  readonly state: string;
  readonly created_at: string;
}

interface Hot {
  readonly id: string;
  readonly title: string;
  readonly units: number;
  readonly left: number | null;
  /** Units per hour. */
  readonly rate: number;
}

/** So many purchases tell what sells. */
const LOOKED_AT = 1_000;
/** Purchases that are older than this do not count, in milliseconds. */
const RECENT = 60 * 60_000;
const SHOWN = 8;

/** The deals that sold most units in the last purchases, with what is left of them. */
async function hottest(signal: AbortSignal): Promise<{ readonly deals: readonly Hot[]; readonly over: number }> {
  const { purchases } = await get<{ readonly purchases: readonly Sale[] }>(
    `/operators/purchases?limit=${LOOKED_AT}`,
    signal,
  );
  const now = Date.now();
  const recent = purchases.filter(
    ({ created_at, state }) => now - Date.parse(created_at) < RECENT && state !== 'released' && state !== 'declined',
  );
  const first = recent.at(-1);
  // With few purchases, the rate is that of the hour.
  const over =
    recent.length < LOOKED_AT || first === undefined ? RECENT : Math.max(1_000, now - Date.parse(first.created_at));
  const units = new Map<string, number>();
  for (const { deal_id, number_bought } of recent) units.set(deal_id, (units.get(deal_id) ?? 0) + number_bought);
  const top = [...units].toSorted(([, one], [, other]) => other - one).slice(0, SHOWN);
  const deals = await Promise.all(
    top.map(async ([id, of]) => {
      const { deal, units: now } = await get<{
        readonly deal: { readonly title: string };
        readonly units: { readonly left: number | null };
      }>(`/operators/deals/${encodeURIComponent(id)}`, signal);
      return { id, title: deal.title, units: of, left: now.left, rate: (of / over) * 3_600_000 };
    }),
  );
  return { deals, over };
}

/** The deals with what is left of them in this second, those that are gone first first. */
function withLiveRates(deals: readonly Hot[]): readonly Hot[] {
  const newest = new Map(live.value?.newest.hottest_deals.map((each) => [each.slug, each]));
  const ends = ({ left, rate }: Hot): number => (left === null ? Infinity : left / rate);
  return deals
    .map((deal) => {
      const now = newest.get(deal.id);
      if (now === undefined) return deal;
      const rate = now.sold_per_second > 0 ? now.sold_per_second * 3_600 : deal.rate;
      return { ...deal, left: now.units_left, rate };
    })
    .toSorted((one, other) => ends(one) - ends(other));
}

/** When the units that are left are sold, at this rate. */
function endOf({ left, rate }: Hot): string {
  if (left === null) return 'never: unlimited';
  return left === 0 ? 'gone' : `in ${span((left / rate) * 3_600_000)}`;
}

function Hottest(): VNode {
  const loaded = useAnswer(hottest, 'hottest', 5_000);
  return (
    <Part title="Sells out next">
      <Show of={loaded}>
        {({ deals: known, over }) => {
          const deals = withLiveRates(known);
          return deals.length === 0 ? (
            <Empty title="Nothing was sold in the last hour.">
              What sells is listed here, with when it will be gone.
            </Empty>
          ) : (
            <>
              <Table
                label="Deals that sell, those that are gone first first"
                rows={deals}
                total={deals.length}
                keyOf={({ id }) => id}
                columns={[
                  { name: 'Deal', cell: ({ id, title }) => <Go to={`/deals/${encodeURIComponent(id)}`}>{title}</Go> },
                  { name: 'Left', number: true, cell: ({ left }) => (left === null ? 'unlimited' : count(left)) },
                  { name: 'Units an hour', number: true, wide: true, cell: ({ rate }) => count(Math.round(rate)) },
                  { name: 'Gone', number: true, cell: (deal) => endOf(deal) },
                ]}
              />
              <p class="soft">
                At the rate of the last {span(over)}, from {things(LOOKED_AT, 'purchase')} at most.
              </p>
            </>
          );
        }}
      </Show>
    </Part>
  );
}
