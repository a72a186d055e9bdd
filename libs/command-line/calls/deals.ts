import { TEXTS } from '#kernel/bounds';
import type { Call, Seen } from './call.js';
import { choice, id, integer, orNone, required, text } from './values.js';

/** A deal, as the service shows it to operators (ruling G4). */
interface ShownDeal {
  readonly deal: {
    readonly id: string;
    readonly title: string | null;
    readonly state: string;
    readonly stock: number | null;
  };
}

/** A deal and its units. */
interface DealWithUnits extends ShownDeal {
  readonly units: object;
}

const ofDeal = { slug: id('the id of a deal, such as tram-28', 'deal') };

const titleOf = ({ id: slug, title, state }: ShownDeal['deal']): string =>
  `${slug}: ${title ?? 'without a title'} (${state})`;

const showSet = ({ deal }: ShownDeal): Seen => {
  const { id: slug, state, title, stock } = deal;
  return { title: titleOf(deal), fields: { deal: slug, state, title, stock } };
};

/** Deals, their workflow and their stock (ruling G4). */
export const DEALS: readonly Call[] = [
  {
    noun: 'deals',
    verb: 'show',
    kind: 'one',
    route: 'GET /operators/deals/:slug',
    words: 'shows a deal and its units as they are now (with --json: all attributes)',
    example: 'deals show tram-28',
    arguments: ofDeal,
    show: ({ deal, units }: DealWithUnits) => ({ title: titleOf(deal), fields: units }),
  },
  {
    noun: 'deals',
    verb: 'set',
    kind: 'one',
    route: 'PUT /operators/deals/:slug',
    words: 'creates a deal, or changes the given attributes of one',
    example: 'deals set tram-28 --body tram-28.json',
    arguments: ofDeal,
    body: 'the attributes as JSON, such as {"title":"A Day on Tram 28","current_price":900}',
    show: showSet,
  },
  {
    noun: 'deals',
    verb: 'move',
    kind: 'one',
    route: 'POST /operators/deals/:slug/transitions',
    words: 'moves a deal through its workflow',
    example: 'deals move tram-28 --to in-review',
    arguments: ofDeal,
    options: {
      to: required(
        choice(
          'its next state',
          'submitted',
          'in-review',
          'rejected',
          'approved',
          'in-flight',
          'paused',
          'cancelled',
          'landed',
          'deleted',
        ),
      ),
      reason: text('why; the log keeps it', TEXTS.reason.most),
    },
    show: showSet,
  },
  {
    noun: 'deals',
    verb: 'stock',
    kind: 'one',
    route: 'PUT /operators/deals/:slug/stock',
    words: 'sets the number of all units of a deal, sold ones included',
    example: 'deals stock tram-28 --units 60',
    arguments: ofDeal,
    options: { units: required(orNone(integer('all units, sold ones included; `none` for no limit'))) },
    show: ({ stock }: { readonly stock: object }) => ({ fields: stock }),
  },
];
