import type { VNode } from 'preact';
import { change } from '../api.js';
import { words } from '../format.js';
import { Action, quoted } from '../ui/action.js';
import { AsOf } from '../ui/as-of.js';
import { Show, useLoaded } from '../ui/loaded.js';
import { Facts, Go, Head, Id, Part, State, When } from '../ui/parts.js';
import { type Event, Timeline } from '../ui/timeline.js';

interface Coupon {
  readonly partner_id: string;
  readonly purchase_id: string;
  readonly user_id: string | null;
  readonly coupon: {
    readonly id: string;
    readonly deal_id: string;
    readonly barcode: string;
    readonly state: string;
    readonly created_at: string;
    readonly expires_at: string | null;
    readonly redeemed_at: string | null;
    readonly redemption_code: string | null;
    readonly replaced_by?: string | null;
    readonly print_url?: string;
  };
}

const REASON = { name: 'reason', label: 'Reason, which the history shows', kind: 'lines' } as const;

/** A coupon: its state, why it is so, and its corrections. */
export function CouponPage({ id }: { readonly id: string }): VNode {
  const loaded = useLoaded<Coupon>(`/operators/coupons/${encodeURIComponent(id)}`);
  return (
    <Show of={loaded} head={<Head kind="Coupon" all="/coupons" title={<Id of={id} />} />}>
      {({ coupon, purchase_id, partner_id, user_id }) => (
        <>
          <Head
            kind="Coupon"
            all="/coupons"
            title={<span class="digits">{coupon.barcode.replace(/(\d{4})(?=\d)/g, '$1 ')}</span>}
            state={<State of={coupon.state} />}
          >
            {(coupon.state === 'valid' || coupon.state === 'expired') && (
              <>
                <Action
                  label="Cancel"
                  does="Cancels the coupon, puts its unit on sale again, and says who gives the money back."
                  forEver
                  fields={[REASON]}
                  command={({ reason }) => `coupons cancel ${coupon.barcode} --reason ${quoted(reason || '…')}`}
                  run={({ reason }) => change('POST', `/operators/coupons/${coupon.id}/cancel`, { reason })}
                  says="The coupon is cancelled."
                  after={loaded.again}
                />
                <Action
                  label="Issue again"
                  does="Replaces the coupon by a new one with another barcode. The old one is no longer redeemed."
                  forEver
                  fields={[
                    REASON,
                    {
                      name: 'terms',
                      label: 'What it shows',
                      options: ['as_sold', 'current'],
                      hint: 'The deal as it was sold, or as it is now.',
                    },
                  ]}
                  command={({ reason, terms }) =>
                    `coupons reissue ${coupon.barcode} --reason ${quoted(reason || '…')} --terms ${terms}`
                  }
                  run={({ reason, terms }) =>
                    change('POST', `/operators/coupons/${coupon.id}/reissue`, { reason, terms })
                  }
                  says="There is a new coupon."
                  after={loaded.again}
                />
              </>
            )}
          </Head>
          <Part title="The coupon">
            <Facts
              of={[
                ['Id', <code>{coupon.id}</code>],
                ['Deal', <Go to={`/deals/${encodeURIComponent(coupon.deal_id)}`}>{coupon.deal_id}</Go>],
                ['Purchase', <Id of={purchase_id} to={`/purchases/${purchase_id}`} />],
                ['User', user_id === null ? null : <Id of={user_id} to={`/users/${user_id}`} />],
                ['Partner', <Id of={partner_id} to={`/partners/${partner_id}`} />],
                ['Issued', <When at={coupon.created_at} />],
                ['Expires', <When at={coupon.expires_at} />],
                ['Redeemed', <When at={coupon.redeemed_at} />],
                ['Code', coupon.redemption_code],
                ['State', words(coupon.state)],
                [
                  'Replaced by',
                  typeof coupon.replaced_by !== 'string' ? undefined : (
                    <Id of={coupon.replaced_by} to={`/coupons/${coupon.replaced_by}`} />
                  ),
                ],
              ]}
            />
          </Part>
          <Happened coupon={coupon.id} state={coupon.state} />
          <AsOf path={`/auditors/coupons/${coupon.id}`} what="coupon" command={`coupons as-of ${coupon.id}`} />
        </>
      )}
    </Show>
  );
}

function Happened({ coupon, state }: { readonly coupon: string; readonly state: string }): VNode {
  const loaded = useLoaded<{ readonly events: readonly Event[] }>(
    `/auditors/streams/coupon-${coupon}?limit=200&from=0#${state}`,
  );
  return (
    <Part title="What happened">
      <Show of={loaded}>{({ events }) => <Timeline events={events} />}</Show>
    </Part>
  );
}
