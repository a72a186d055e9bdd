/** Where a partner's storefront has the slug of a deal (ruling H4). */
const DEAL = '{deal_id}';

/**
 * Whether an address can be a partner's storefront: https, without a credential, and each deal has another path or query at
 * the same host. In the host or the fragment, `{deal_id}` would not lead to a page of the partner's own site.
 */
export function isStorefront(address: string): boolean {
  const [one, other] = ['a', 'b'].map((deal) => urlAt(address, deal));
  if (one?.protocol !== 'https:' || one.username !== '' || one.password !== '' || one.host !== other?.host)
    return false;
  return one.pathname + one.search !== other.pathname + other.search;
}

/**
 * The address of a deal at a partner's storefront, as browsers read it: mail programs link what they recognize, which ends at the
 * first blank.
 */
export function addressAt(storefront: string, dealId: string): string {
  return urlAt(storefront, dealId)?.href ?? storefront;
}

function urlAt(storefront: string, dealId: string): URL | null {
  return URL.parse(storefront.replaceAll(DEAL, encodeURIComponent(dealId)));
}
