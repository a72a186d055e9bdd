import type { Request } from '../../test/bench/load/visit.js';
import type { Calls, Made } from './peer.ts';

/** More customers than orders of a turn. */
const CUSTOMERS = 20_000;
/** The id of the first product of the catalogue: one came before it, to make the index. */
const FIRST = 2;
const PRODUCT = 'id name slug description variants { id sku price priceWithTax currencyCode stockLevel }';
const FOUND =
  'productId productName slug description productVariantId sku currencyCode priceWithTax { ... on PriceRange { min max } }';
const OR_ERROR = '{ __typename ... on ErrorResult { errorCode message } }';

const graphql = (query: string, headers: readonly string[] = []): Request => ({
  method: 'POST',
  path: '/shop-api',
  headers,
  body: JSON.stringify({ query }),
});

/**
 * How a shop that is built on Vendure asks it. Vendure reserves a unit for nobody before there is a payment, so the least that
 * compares with a reservation is an order: a guest adds the item to a new cart, and a second request, in the session that the
 * first one got, has everything up to the payment. In a shop, these would be six requests.
 */
export function vendureCalls(count: number, made: Made): Calls {
  const variantOf = (item: string): string => (made.get(item) as { variant: string }).variant;
  return {
    reserve: (item) => ({
      requests: [
        graphql(`mutation { addItemToOrder(productVariantId: "${variantOf(item)}", quantity: 1) ${OR_ERROR} }`),
        graphql(
          `mutation {
            setCustomerForOrder(input: { firstName: "A", lastName: "Guest", emailAddress: "{value}" }) ${OR_ERROR}
            setOrderShippingAddress(input: { streetLine1: "1 Main Street", countryCode: "US" }) ${OR_ERROR}
            setOrderShippingMethod(shippingMethodId: ["1"]) ${OR_ERROR}
            transitionOrderToState(state: "ArrangingPayment") ${OR_ERROR}
            addPaymentToOrder(input: { method: "dummy", metadata: {} }) ${OR_ERROR}
          }`.replace(/\s+/g, ' '),
          ['Authorization: Bearer {id}'],
        ),
      ],
      values: Array.from({ length: CUSTOMERS }, (_, nth) => `${item}-${nth}@example.com`),
      id: 'vendure-auth-token: (\\w+)',
      whole: true,
    }),
    accepted: (status, answer) => status === 200 && answer.includes('"addPaymentToOrder":{"__typename":"Order"'),
    list: () => ({
      requests: [
        graphql(`{ search(input: { groupByProduct: true, take: 100, sort: { name: ASC } }) { items { ${FOUND} } } }`),
      ],
    }),
    read: () => ({
      requests: [graphql(`{ product(id: "{value}") { ${PRODUCT} } }`)],
      values: Array.from({ length: count }, (_, nth) => String(nth + FIRST)),
    }),
  };
}
