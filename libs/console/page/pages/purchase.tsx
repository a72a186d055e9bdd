import type { VNode } from 'preact';
import { change } from '../api.js';
import { money, things, words } from '../format.js';
import { Action, quoted } from '../ui/action.js';
import { AsOf } from '../ui/as-of.js';
import { Empty, Show, useLoaded } from '../ui/loaded.js';
import { Facts, Figure, Go, Head, Id, Part, State, When } from '../ui/parts.js';
import { Table } from '../ui/table.js';
import { type Event, Timeline } from '../ui/timeline.js';

interface Coupon {
  readonly id: string;
  readonly barcode: string;
  readonly state: string;
  readonly expires_at: string | null;
  readonly redeemed_at: string | null;
}

interface Purchase {
  readonly partner_id: string;
  readonly purchase: {
    readonly id: string;
    readonly deal_id: string;
    readonly price: number;
    readonly amount: number;
    readonly number_bought: number;
    readonly payment_state: string;
    readonly fulfillment_state: string;
    readonly user_id: string | null;
    readonly created_at: string;
    readonly reference?: string | null;
    readonly deal: { readonly title: string } | null;
    readonly coupons: readonly Coupon[] | null;
  };
}

const REASON = { name: 'reason', label: 'Reason, which the history shows', kind: 'lines' } as const;

/** A purchase: its money, its coupons, and every event with what led to it. */
export function PurchasePage({ id }: { readonly id: string }): VNode {
  const name = encodeURIComponent(id);
  const loaded = useLoaded<Purchase>(`/operators/purchases/${name}`);
  const history = useLoaded<{ readonly events: readonly Event[] }>(`/auditors/purchases/${name}/history`);
  const again = (): void => {
    loaded.again();
    history.again();
  };
  return (
    <Show of={loaded} head={<Head kind="Purchase" all="/purchases" title={<Id of={id} />} />}>
      {({ purchase, partner_id }) => (
        <>
          <Head
            kind="Purchase"
            all="/purchases"
            title={purchase.deal?.title ?? purchase.deal_id}
            state={<State of={purchase.fulfillment_state} />}
          >
            {purchase.fulfillment_state === 'fulfilled' && (
              <Action
                label="Refund"
                does={`Cancels all coupons that are not redeemed, and gives back what was paid for them, up to ${money(purchase.amount)}.`}
                forEver
                fields={[REASON]}
                command={({ reason }) => `purchases refund ${id} --reason ${quoted(reason || '…')}`}
                run={({ reason }) => change('POST', `/operators/purchases/${name}/refund`, { reason })}
                says="The purchase is refunded."
                after={again}
              />
            )}
            {purchase.fulfillment_state === 'pending' && (
              <Action
                label="Void"
                does="Gives up a charge whose outcome never came. If the gateway has charged after all, it is given back."
                forEver
                fields={[REASON]}
                command={({ reason }) => `purchases void ${id} --reason ${quoted(reason || '…')}`}
                run={({ reason }) => change('POST', `/operators/purchases/${name}/void`, { reason })}
                says="The charge is void."
                after={again}
              />
            )}
          </Head>
          <dl class="figures">
            <Figure name="Amount" value={money(purchase.amount)} />
            <Figure name="Units" value={purchase.number_bought} unit={`at ${money(purchase.price)}`} />
            <Figure name="Money" value={words(purchase.payment_state)} />
            <Figure name="Coupons" value={purchase.coupons?.length ?? 0} />
          </dl>
          <Part title="The purchase">
            <Facts
              of={[
                ['Id', <code>{purchase.id}</code>],
                ['Made', <When at={purchase.created_at} />],
                ['Deal', <Go to={`/deals/${encodeURIComponent(purchase.deal_id)}`}>{purchase.deal_id}</Go>],
                [
                  'User',
                  purchase.user_id === null ? null : <Id of={purchase.user_id} to={`/users/${purchase.user_id}`} />,
                ],
                ['Partner', <Id of={partner_id} to={`/partners/${partner_id}`} />],
                ['Reference', purchase.reference ?? undefined],
              ]}
            />
          </Part>
          <Part title="Coupons">
            {(purchase.coupons ?? []).length === 0 ? (
              <Empty title="No coupons.">They come with the claim of a hold, or with the payment.</Empty>
            ) : (
              <Table
                label="Coupons"
                rows={purchase.coupons ?? []}
                total={purchase.coupons?.length}
                keyOf={(coupon: Coupon) => coupon.id}
                columns={[
                  { name: 'Coupon', cell: (coupon) => <Id of={coupon.id} to={`/coupons/${coupon.id}`} /> },
                  { name: 'State', cell: (coupon) => <State of={coupon.state} /> },
                  { name: 'Barcode', cell: (coupon) => coupon.barcode, wide: true },
                  { name: 'Expires', cell: (coupon) => <When at={coupon.expires_at} />, wide: true },
                ]}
              />
            )}
          </Part>
          <Part title="What happened">
            <Show of={history}>
              {({ events }) => (
                <>
                  <p class="soft">{things(events.length, 'event')}, in the order of the log.</p>
                  <Timeline events={events} />
                </>
              )}
            </Show>
          </Part>
          <AsOf path={`/auditors/purchases/${name}`} what="purchase" command={`purchases as-of ${id}`} />
        </>
      )}
    </Show>
  );
}
