import { exactly, type Fields, filled } from './checks.js';
import { complains } from './error.shapes.js';
import { type Known } from './known.js';
import { batch, moment, sameIds } from './shapes.js';
import {
  answers,
  keyed,
  open,
  type Pause,
  type Promised,
  refused,
  type Step,
  step,
  succeeds,
  success,
} from './step.js';

const BATCHES = '/v1/targeted_email/batches';
/** The hour of the day (UTC) at which emails go out. */
const HOUR = 12;
/** 8 */
const IDS_OF_A_BATCH = 1000;
const IDS_OF_A_DAY = 10_000;

type Body = Readonly<Record<string, unknown>>;

const READERS = ['reader 1', 'reader 2', 'reader 3', 'reader 4', 'reader 5', 'reader 6', 'reader 7'] as const;

const readers: readonly Step[] = READERS.map((name, index) =>
  step(
    '4.9',
    `creates ${name}`,
    () => keyed('POST', '/users', { json: { email: `reader-${index + 1}@partner.example`, first_name: 'Reader' } }),
    succeeds(success({ user_id: filled })),
    { keep: { [name]: 'user_id' } },
  ),
);

/** 4.14: a batch for tomorrow. */
function tomorrow(known: Known, users: readonly string[], own: Body = {}): Body {
  return {
    deal_id: known.world.deals.daily.id,
    user_ids: users,
    mode: 'suppress',
    send_at: known.tomorrowAt(HOUR),
    ...own,
  };
}

function create(
  does: string,
  json: (known: Known) => Body | undefined,
  promises: Promised | ((known: Known) => Promised),
  keep: Readonly<Record<string, string>> = {},
  section = '4.14',
): Step {
  return step(
    section,
    does,
    (known) => {
      const body = json(known);
      return body === undefined ? undefined : keyed('POST', BATCHES, { json: body });
    },
    promises,
    { keep },
  );
}

const created = (own: Fields): Promised =>
  answers(201, success({ batch: batch({ status: exactly('pending'), ...own }) }));

/** 4.14: read or cancelled with the guard that names the deal. */
function guarded(
  method: 'GET' | 'DELETE',
  does: string,
  name: string,
  deal: (known: Known) => string | undefined,
  promises: Promised | ((known: Known) => Promised),
  section = '4.14',
): Step {
  return step(
    section,
    does,
    (known) => {
      const deal_id = deal(known);
      return keyed(method, `${BATCHES}/${known.text(name)}`, { query: deal_id === undefined ? {} : { deal_id } });
    },
    promises,
  );
}

const daily = ({ world }: Known): string => world.deals.daily.id;
const onGoing = ({ world }: Known): string => world.deals.onGoing.id;

const found = (own: Fields): Promised => answers(200, success({ batch: batch(own) }));

const creations: readonly Step[] = [
  create(
    'schedules a batch that suppresses the daily update',
    (known) => tomorrow(known, [known.text('reader 1'), known.text('reader 2')]),
    (known) =>
      created({
        deal_id: exactly(daily(known)),
        user_ids: sameIds([known.text('reader 1'), known.text('reader 2')]),
        mode: exactly('suppress'),
        send_at: moment(known.tomorrowAt(HOUR)),
      }),
    { batch: 'batch.id' },
  ),
  create(
    'schedules a batch of another deal that allows the daily update',
    (known) => tomorrow(known, [known.text('reader 3')], { deal_id: onGoing(known), mode: 'augment' }),
    (known) =>
      created({
        deal_id: exactly(onGoing(known)),
        user_ids: sameIds([known.text('reader 3')]),
        mode: exactly('augment'),
      }),
    { 'second batch': 'batch.id' },
  ),
  create(
    'schedules a batch with an id that does not exist, which is dropped',
    (known) => tomorrow(known, [known.text('reader 4'), 'no-such-user']),
    (known) => created({ user_ids: sameIds([known.text('reader 4')]) }),
  ),
  create(
    'schedules a batch with a user of another batch of that day, who is dropped',
    (known) =>
      tomorrow(known, [known.text('reader 1'), known.text('reader 5')], { send_at: known.tomorrowAt(HOUR + 1) }),
    (known) => created({ user_ids: sameIds([known.text('reader 5')]) }),
  ),
  create(
    'schedules a batch of an approved deal',
    (known) => tomorrow(known, [known.text('reader 6')], { deal_id: known.world.deals.approved.id }),
    (known) => created({ deal_id: exactly(known.world.deals.approved.id) }),
    { 'batch to cancel': 'batch.id' },
  ),
  create(
    'schedules a batch whose email will fail',
    (known) => {
      const user = known.world.undeliverableUserId;
      return user === undefined ? undefined : tomorrow(known, [user]);
    },
    created({}),
    { 'batch that fails': 'batch.id' },
  ),
];

/** 7.4: the errors of a batch to create, by field. */
const REFUSED: readonly (readonly [string, string, (known: Known) => Body, message: string])[] = [
  ['no deal', 'deal_id', () => ({ deal_id: undefined }), 'is required'],
  ['an unknown deal', 'deal_id', () => ({ deal_id: 'no-such-deal' }), 'unknown deal'],
  [
    'a submitted deal',
    'deal_id',
    ({ world }) => ({ deal_id: world.deals.submitted.id }),
    "deal's status must be in-flight or approved",
  ],
  ['no send_at', 'send_at', () => ({ send_at: undefined }), 'is required'],
  ['a send_at of today', 'send_at', (known) => ({ send_at: known.daysAhead(0, 23) }), 'must be tomorrow'],
  [
    'a send_at of the day after tomorrow',
    'send_at',
    (known) => ({ send_at: known.daysAhead(2, 1) }),
    'must be tomorrow',
  ],
  [
    'a deal that starts later',
    'send_at',
    ({ world }) => ({ deal_id: world.deals.startsLater.id }),
    "must be after deal's start time",
  ],
  [
    'a deal that ends before',
    'send_at',
    ({ world }) => ({ deal_id: world.deals.endsToday.id }),
    "must be before deal's end time",
  ],
  ['no user_ids', 'user_ids', () => ({ user_ids: undefined }), 'is required'],
  [
    'only ids that do not exist',
    'user_ids',
    () => ({ user_ids: ['no-such-user', 'no-such-user-either'] }),
    'are all invalid',
  ],
  [
    'only users who are scheduled that day',
    'user_ids',
    (known) => ({ user_ids: [known.text('reader 1'), known.text('reader 2')] }),
    'are all already scheduled for that day',
  ],
  [
    'only users who are scheduled that day for another deal',
    'user_ids',
    (known) => ({ user_ids: [known.text('reader 3')] }),
    'are all already scheduled for that day',
  ],
  ['no mode', 'mode', () => ({ mode: undefined }), 'is required'],
  ['an unknown mode', 'mode', () => ({ mode: 'shout' }), 'must be either (suppress or augment)'],
];

const refusals: readonly Step[] = [
  ...REFUSED.map(([does, field, own, message]) =>
    create(
      `schedules a batch with ${does}`,
      (known) => tomorrow(known, [known.text('reader 7')], own(known)),
      complains(field, message),
      {},
      '7.4',
    ),
  ),
  ...['deal_id', 'send_at', 'user_ids', 'mode'].map((field) =>
    create('schedules a batch with nothing', () => ({}), complains(field, 'is required'), {}, '7.4'),
  ),
  create('schedules a batch for nobody; the answer stays open', (known) => tomorrow(known, []), open),
  create(
    'schedules a batch of 1001 ids',
    (known) =>
      tomorrow(known, [
        known.text('reader 7'),
        ...Array.from({ length: IDS_OF_A_BATCH }, (_, index) => `no-such-user-${index}`),
      ]),
    refused(),
    {},
    '8',
  ),
  create(
    'schedules a batch of the user whom all refusals named: none of them scheduled',
    (known) => tomorrow(known, [known.text('reader 7')]),
    (known) => created({ user_ids: sameIds([known.text('reader 7')]) }),
    {},
    '7.4',
  ),
];

/** 7.4: the guard of a read and of a cancellation. */
function guards(method: 'GET' | 'DELETE', verb: string): readonly Step[] {
  return [
    guarded(
      method,
      `${verb} a batch without its deal`,
      'batch',
      () => undefined,
      complains('deal_id', 'is required'),
      '7.4',
    ),
    guarded(
      method,
      `${verb} a batch with an unknown deal`,
      'batch',
      () => 'no-such-deal',
      complains('deal_id', 'unknown deal'),
      '7.4',
    ),
    guarded(
      method,
      `${verb} a batch with another deal`,
      'batch',
      onGoing,
      complains('deal_id', 'does not match this batch'),
      '7.4',
    ),
    step(
      '7.4',
      `${verb} an unknown batch`,
      (known) => keyed(method, `${BATCHES}/no-such-batch`, { query: { deal_id: daily(known) } }),
      refused(),
    ),
  ];
}

const approved = ({ world }: Known): string => world.deals.approved.id;

const readsAndCancellations: readonly Step[] = [
  guarded('GET', 'reads a batch', 'batch', daily, (known) =>
    found({
      id: exactly(known.text('batch')),
      deal_id: exactly(daily(known)),
      user_ids: sameIds([known.text('reader 1'), known.text('reader 2')]),
      mode: exactly('suppress'),
      send_at: moment(known.tomorrowAt(HOUR)),
      status: exactly('pending'),
    }),
  ),
  ...guards('GET', 'reads'),
  ...guards('DELETE', 'cancels'),
  guarded(
    'GET',
    'reads it again: no guard let a cancellation pass',
    'batch',
    daily,
    found({ status: exactly('pending') }),
  ),
  guarded('DELETE', 'cancels a batch', 'batch to cancel', approved, (known) =>
    found({ id: exactly(known.text('batch to cancel')), status: exactly('cancelled') }),
  ),
  guarded('GET', 'reads the cancelled batch', 'batch to cancel', approved, found({ status: exactly('cancelled') })),
  guarded('DELETE', 'cancels it again; the answer stays open', 'batch to cancel', approved, open),
  create(
    'schedules the user of the cancelled batch; the answer stays open',
    (known) => tomorrow(known, [known.text('reader 6')]),
    open,
  ),
];

/** Seconds that a delivery may take. */
const DELIVERY = 240;

const untilAfterSending: Pause = {
  section: '3.5',
  why: 'the time of all batches comes',
  seconds: (known) => Math.ceil((Date.parse(known.tomorrowAt(HOUR + 2)) - known.now.date.getTime()) / 1000),
};

const deliveries: readonly (Step | Pause)[] = [
  untilAfterSending,
  ...(
    [
      ['batch', daily],
      ['second batch', onGoing],
    ] as const
  ).map(([name, deal]) => ({
    ...guarded(
      'GET',
      `reads the ${name}, all of whose emails are sent`,
      name,
      deal,
      found({ status: exactly('processed') }),
      '3.5',
    ),
    within: DELIVERY,
  })),
  guarded(
    'DELETE',
    'cancels a processed batch',
    'batch',
    daily,
    complains('batch_id', 'is already processed, cannot be cancelled'),
    '7.4',
  ),
  guarded('GET', 'reads it: it stays processed', 'batch', daily, found({ status: exactly('processed') })),
  guarded(
    'GET',
    'reads the cancelled batch: it stays cancelled',
    'batch to cancel',
    approved,
    found({ status: exactly('cancelled') }),
  ),
  {
    ...step(
      '3.5',
      'reads the batch whose email failed',
      (known) =>
        known.world.undeliverableUserId === undefined
          ? undefined
          : keyed('GET', `${BATCHES}/${known.text('batch that fails')}`, { query: { deal_id: daily(known) } }),
      found({ status: exactly('failed') }),
    ),
    within: DELIVERY,
  },
];

/** 8: ten full batches fill a day of which nothing is scheduled yet. */
const fullDay: readonly Step[] = [
  ...Array.from({ length: IDS_OF_A_DAY / IDS_OF_A_BATCH }, (_, index) => index * IDS_OF_A_BATCH).map((from) =>
    create(
      `schedules users ${from + 1} to ${from + IDS_OF_A_BATCH} of a day`,
      (known) =>
        known.world.crowd &&
        tomorrow(known, known.world.crowd.slice(from, from + IDS_OF_A_BATCH), { deal_id: onGoing(known) }),
      created({}),
      {},
      '8',
    ),
  ),
  create(
    'schedules one more user of that day',
    (known) =>
      known.world.crowd &&
      tomorrow(known, known.world.crowd.slice(IDS_OF_A_DAY, IDS_OF_A_DAY + 1), { deal_id: onGoing(known) }),
    refused(),
    {},
    '8',
  ),
];

/** The partner schedules emails about deals. */
export const batches: readonly (Step | Pause)[] = [
  ...readers,
  ...creations,
  ...refusals,
  ...readsAndCancellations,
  ...deliveries,
  ...fullDay,
];
