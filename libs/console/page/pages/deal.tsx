import type { VNode } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { change, get, getText } from '../api.js';
import { count, money, span, things, words } from '../format.js';
import { Action, quoted } from '../ui/action.js';
import { AsOf } from '../ui/as-of.js';
import { Show, useAnswer, useLoaded } from '../ui/loaded.js';
import { Bytes, Facts, Figure, Go, Head, Part, State, When } from '../ui/parts.js';
import { Plot } from '../ui/plot.js';
import { type Entry, stockOverTime } from '../stock-over-time.js';
import { Timeline } from '../ui/timeline.js';

interface Units {
  readonly stock: number | null;
  readonly held: number;
  readonly sold: number;
  readonly returned: number;
  readonly left: number | null;
  readonly codes_left: number | null;
  readonly open_holds: number;
  readonly open_checkouts: number;
}

interface Deal {
  readonly id: string;
  readonly title: string;
  readonly state: string;
  readonly type: string;
  readonly region_id: string | null;
  readonly merchant_name: string | null;
  readonly current_price: number | null;
  readonly value: number | null;
  readonly start_at: string;
  readonly end_at: string;
  readonly expires_at: string | null;
  readonly max_per_user: number | null;
  readonly fine_print: string | null;
  readonly highlights: string | null;
}

/** The moves that an operator may make from each state; the clock makes the others. */
const MOVES: Readonly<Record<string, readonly string[]>> = {
  submitted: ['in-review', 'cancelled', 'deleted'],
  'in-review': ['approved', 'rejected', 'cancelled', 'deleted'],
  rejected: ['submitted', 'deleted'],
  approved: ['cancelled', 'deleted'],
  'in-flight': ['paused', 'cancelled', 'deleted'],
  paused: ['in-flight', 'cancelled', 'deleted'],
  cancelled: ['deleted'],
  landed: ['deleted'],
  deleted: [],
};
const MOVE_WORDS: Readonly<Record<string, string>> = {
  'in-review': 'Review',
  approved: 'Approve',
  rejected: 'Reject',
  submitted: 'Submit again',
  paused: 'Pause',
  'in-flight': 'Go on selling',
  cancelled: 'Cancel',
  deleted: 'Delete',
};
const FOR_EVER = ['cancelled', 'deleted'];

/** A deal: its stock over time, its ledger, its workflow, and its certificate. */
export function DealPage({ id }: { readonly id: string }): VNode {
  const slug = encodeURIComponent(id);
  const loaded = useLoaded<{ readonly deal: Deal; readonly units: Units }>(`/operators/deals/${slug}`, 5_000);
  return (
    <Show of={loaded} head={<Head kind="Deal" all="/deals" title={id} />}>
      {({ deal, units }) => (
        <>
          <Head kind="Deal" all="/deals" title={deal.title} state={<State of={deal.state} />}>
            <Action
              label="Set the stock"
              does={`All units, sold ones included. Now they are ${units.stock === null ? 'unlimited' : count(units.stock)}, of which ${count(units.sold)} are sold and ${count(units.held)} held.`}
              fields={[{ name: 'units', label: 'Units in all', kind: 'number', value: String(units.stock ?? '') }]}
              command={({ units: all }) => `deals stock ${quoted(id)} --units ${all || '<units>'}`}
              run={({ units: all }) => change('PUT', `/operators/deals/${slug}/stock`, { units: Number(all) })}
              says="The stock was set."
              after={loaded.again}
            />
            {(MOVES[deal.state] ?? []).map((to) => (
              <Action
                key={to}
                label={MOVE_WORDS[to] ?? to}
                does={`Moves the deal from “${words(deal.state)}” to “${words(to)}”.`}
                forEver={FOR_EVER.includes(to)}
                fields={[{ name: 'reason', label: 'Reason', optional: true }]}
                command={({ reason }) =>
                  `deals move ${quoted(id)} --to ${to}${reason ? ` --reason ${quoted(reason)}` : ''}`
                }
                run={({ reason }) =>
                  change('POST', `/operators/deals/${slug}/transitions`, { to, ...(reason && { reason }) })
                }
                says={`The deal is “${words(to)}” now.`}
                after={loaded.again}
              />
            ))}
          </Head>
          <dl class="figures">
            <Figure
              name="Left"
              value={units.left === null ? 'unlimited' : count(units.left)}
              tone={units.left === 0 ? 'bad' : 'calm'}
            />
            <Figure name="Sold" value={count(units.sold)} />
            <Figure
              name="Held"
              value={count(units.held)}
              unit={units.open_holds > 0 ? `in ${things(units.open_holds, 'hold')}` : undefined}
            />
            <Figure name="Stock" value={units.stock === null ? 'unlimited' : count(units.stock)} />
            {units.codes_left !== null && <Figure name="Codes left" value={count(units.codes_left)} />}
          </dl>
          <StockPicture id={id} moved={`${units.stock} ${units.held} ${units.sold}`} />
          <Part title="The deal">
            <Facts
              of={[
                ['Id', <code>{deal.id}</code>],
                ['Type', words(deal.type)],
                ['Merchant', deal.merchant_name],
                ['Region', deal.region_id],
                ['Price', deal.current_price === null ? null : money(deal.current_price)],
                ['Value', deal.value === null ? null : money(deal.value)],
                ['On sale from', <When at={deal.start_at} />],
                ['On sale until', <When at={deal.end_at} />],
                ['Coupons expire', <When at={deal.expires_at} />],
                ['At most for each user', deal.max_per_user],
                ['Highlights', deal.highlights],
                ['Fine print', deal.fine_print],
                ['Page for buyers', <a href={`/deals/${slug}/purchase`}>as people see it</a>],
                [
                  'Sales',
                  <>
                    <Go to={`/purchases?deal_id=${slug}`}>purchases</Go>,{' '}
                    <Go to={`/reservations?deal_id=${slug}`}>holds</Go>,{' '}
                    <Go to={`/coupons?deal_id=${slug}`}>coupons</Go>
                  </>,
                ],
                ['Events', <Go to={`/streams/deal-${slug}`}>of the deal</Go>],
              ]}
            />
          </Part>
          <Certificate id={id} />
          <AsOf path={`/auditors/deals/${slug}`} what="deal" command={`deals as-of ${quoted(id)}`} />
        </>
      )}
    </Show>
  );
}

/** The stock over time, as far as the ledger has it, and the last changes in words. @param moved read it again when this changes */
function StockPicture({ id, moved }: { readonly id: string; readonly moved: string }): VNode {
  const path = `/auditors/deals/${encodeURIComponent(id)}/ledger`;
  // A long ledger is read once: a deal that sells fast would have it read all the time.
  const isLong = useRef(false);
  const loaded = useAnswer(
    (signal) => stockOverTime((from, limit) => get(`${path}?from=${from}&limit=${limit}`, signal)),
    isLong.current ? path : `${path} ${moved}`,
  );
  isLong.current = loaded.value?.isWhole === false;
  return (
    <Part title="Stock over time" aside={<Go to={`/streams/inventory-${encodeURIComponent(id)}`}>all events</Go>}>
      <Show of={loaded}>
        {({ points, last, isWhole, changes }) => {
          const at = points.map(({ time }) => Date.parse(time) / 1_000);
          const now = Date.now() / 1_000;
          const values = (of: (entry: Entry) => number | null): (number | null)[] => {
            const all = points.map(of);
            return [...all, all.at(-1) ?? null];
          };
          return (
            <>
              <Plot
                label={`Stock, held and sold units, in ${things(changes, 'change')}`}
                times={[...at, Math.max(now, at.at(-1) ?? now)]}
                stepped
                series={[
                  { name: 'stock', color: '--stock', values: values(({ units }) => units.stock) },
                  {
                    name: 'sold and held',
                    color: '--held',
                    fill: true,
                    values: values(({ units }) => units.sold + units.held),
                  },
                  { name: 'sold', color: '--sold', fill: true, values: values(({ units }) => units.sold) },
                ]}
                unit="units"
              />
              {!isWhole && (
                <p class="soft">
                  {count(points.length)} of {things(changes, 'change')}, evenly chosen.
                </p>
              )}
              <h3>Last changes</h3>
              <Timeline
                events={last.map((entry) => ({
                  ...entry,
                  stream: `inventory-${id}`,
                  state: { units: entry.units, change: entry.change },
                }))}
              />
            </>
          );
        }}
      </Show>
    </Part>
  );
}

/** The certificate, which is made when somebody asks: it reads all events of the deal. */
function Certificate({ id }: { readonly id: string }): VNode {
  const path = `/auditors/deals/${encodeURIComponent(id)}/certificate`;
  const [isAsked, setAsked] = useState(false);
  return (
    <Part
      title="Certificate"
      aside={
        <a class="button" href={path} download={`certificate-${id}.txt`}>
          Download
        </a>
      }
    >
      <p class="soft">
        It proves from the events of the deal that it was never oversold. Anybody can make it again, without this
        service: <code>{`holdfast deals certificate ${quoted(id)}`}</code>
      </p>
      {isAsked ? (
        <CertificateText path={path} />
      ) : (
        <button type="button" class="plain" onClick={() => setAsked(true)}>
          Make it here
        </button>
      )}
    </Part>
  );
}

function CertificateText({ path }: { readonly path: string }): VNode {
  const asked = useAnswer(async () => {
    const began = performance.now();
    const text = await getText(path);
    return { text, took: performance.now() - began };
  }, path);
  return (
    <Show of={asked}>
      {({ text, took }) => {
        const verdict = /^verdict: (.*)$/m.exec(text)?.[1] ?? 'unknown';
        return (
          <>
            <p class="row">
              <State of={verdict} tone={verdict === 'sound' ? 'good' : 'bad'} />
              <span class="soft">made from the events in {span(took)}</span>
            </p>
            <details>
              <summary>The text</summary>
              <Bytes of={text} />
            </details>
          </>
        );
      }}
    </Show>
  );
}
