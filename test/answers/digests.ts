import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { thisMachine } from '#adapters/machine';
import { allFieldsOf, DEAL_FIELDS, dealPresenters, dealV3Presenters } from '#catalogue';
import { dealListingView, dealsView, regionsView } from '#catalogue/model';
import { cardLinkPresenters } from '#engagement';
import { cardLinksView } from '#engagement/model';
import { Keyring, Slices } from '#eventsourcing';
import { ANSWERS, presenterOf, PublicUrl } from '#http';
import type { Recorded, View } from '#kernel';
import { newProfile, userPresenters } from '#people';
import { usersView } from '#people/model';
import {
  atTillPresenters,
  purchasePresenters,
  resoldCouponPresenters,
  resoldPresenters,
  type DealAsSold,
} from '#purchasing';
import { couponsView, purchasesView } from '#purchasing/model';
import { logsOf } from '../views/golden-rows.js';

/** By the version of the answers: the digest of each answer over all rows that golden events lead to. */
export type AnswerDigests = Readonly<Record<number, Readonly<Record<string, string>>>>;

export const DIGESTS_FILE = 'test/answers/digests.json';
export const COMMAND = 'npm run answers:record';

/** What is stored: the golden inputs that the digests are made of, and the digests. The inputs of a version never change. */
export interface StoredAnswers {
  readonly inputs: readonly string[];
  readonly digests: AnswerDigests;
}

export function readAnswers(): StoredAnswers {
  return JSON.parse(readFileSync(DIGESTS_FILE, 'utf8')) as StoredAnswers;
}

/** Before all deadlines and ends of the golden rows, and after them. */
const TIMES = [0, Date.parse('2100-01-01T00:00:00Z')];

const DEAL: DealAsSold = {
  ...{ title: 'A day', merchant_name: 'Spa', price: 900, value: 1_800, description1: 'All day', highlights: 'Steam' },
  ...{
    instructions: 'Ring',
    fine_print: 'Once',
    fine_print_legalese: null,
    locations: [],
    image: null,
    time_zone: 'UTC',
  },
};

/** The digests of the answers that this build makes in each of its versions. */
export async function answerDigests(inputs: readonly string[]): Promise<AnswerDigests> {
  const logs = await logsOf(inputs);
  const versions = Array.from({ length: ANSWERS }, (_, index) => index + 1);
  return Object.fromEntries(
    await Promise.all(versions.map(async (version) => [version, await digestsIn(version, logs)] as const)),
  );
}

async function digestsIn(
  version: number,
  logs: readonly (readonly Recorded[])[],
): Promise<Readonly<Record<string, string>>> {
  const keyring = Keyring.of(Buffer.alloc(32, 7), thisMachine.randomness);
  const publicUrl = new PublicUrl('https://deals.example');
  const presenting = { keyring, publicUrl, slices: new Slices(thisMachine.time) };
  const purchase = presenterOf(purchasePresenters, version);
  const resold = presenterOf(resoldPresenters, version);
  const atTill = presenterOf(atTillPresenters, version);
  const resoldCoupon = presenterOf(resoldCouponPresenters, version);
  const deal = presenterOf(dealPresenters, version);
  const dealV3 = presenterOf(dealV3Presenters, version);
  const user = presenterOf(userPresenters, version);
  const cardLink = presenterOf(cardLinkPresenters, version);
  const profile = newProfile({ email: 'ann@example.com', first_name: 'Ann', last_name: 'Lee', token: 't' }, 0);
  const digests: Record<string, string> = {};
  const digest = async (name: string, shows: readonly (() => unknown)[]): Promise<void> => {
    const hash = createHash('sha256');
    for (const show of shows) hash.update(`${JSON.stringify(await show())}\n`);
    digests[name] = hash.digest('hex');
  };
  const purchases = logs.flatMap((log) => rowsOf(purchasesView, log));
  const coupons = logs.flatMap((log) => rowsOf(couponsView, log));
  const deals = logs.flatMap((log) => {
    const listed = new Map(rowsOf(dealListingView, log).map((row) => [row.deal_id, row.units]));
    const regions = new Map(rowsOf(regionsView, log).map((row) => [row.id, row]));
    return rowsOf(dealsView, log).map((row) => {
      const region = regions.get(row.attributes.region_id);
      return { row, region, units: listed.get(row.deal_id) ?? null, ranOut: 1 };
    });
  });
  const timed = <Row>(rows: readonly Row[], show: (row: Row, now: number) => unknown) =>
    rows.flatMap((row) => TIMES.map((now) => () => show(row, now)));
  await digest(
    'purchase',
    timed(purchases, (row, now) => purchase(row, now, presenting)),
  );
  await digest(
    'resale',
    timed(purchases, (row, now) => resold(row, 'order-1', now, presenting)),
  );
  await digest(
    'coupon',
    timed(coupons, (row, now) => atTill({ row, deal: DEAL }, now, presenting)),
  );
  await digest(
    'resold coupon',
    timed(coupons, (row, now) => resoldCoupon(row, now, presenting)),
  );
  await digest(
    'deal',
    timed(deals, (parts, now) => deal({ ...parts, now, publicUrl: publicUrl.href })),
  );
  await digest(
    'deal v3',
    timed(deals, (parts, now) => dealV3({ ...parts, now }, allFieldsOf(DEAL_FIELDS), presenting)),
  );
  const users = logs.flatMap((log) => rowsOf(usersView, log));
  await digest(
    'user',
    users.flatMap((row) => [() => user(row, profile), () => user(row, null)]),
  );
  const links = logs.flatMap((log) => rowsOf(cardLinksView, log));
  await digest(
    'card link',
    links.map((row) => () => cardLink(row)),
  );
  return digests;
}

/** The rows that a log's events lead to, in the order of their keys. */
function rowsOf<Row extends object>(view: View<Row>, log: readonly Recorded[]): readonly Row[] {
  const rows = new Map<string, Row>();
  for (const event of log) {
    if (!view.types.has(event.type)) continue;
    for (const key of view.keys(event)) {
      const row = view.apply(rows.get(key), event, key);
      if (row === undefined) rows.delete(key);
      else rows.set(key, row);
    }
  }
  return [...rows].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);
}

/** What must be done about answers whose bytes changed; none if all is well. */
export function changedAnswers(stored: AnswerDigests, present: AnswerDigests): readonly string[] {
  return Object.entries(stored).flatMap(([version, digests]) =>
    Object.entries(digests)
      .filter(([name, digest]) => present[Number(version)]?.[name] !== digest)
      .map(
        ([name]) =>
          `the bytes of ${name} in version ${version} changed: raise ANSWERS in libs/http/presenters.ts, keep the old ` +
          `presenter in its table, and run \`${COMMAND}\``,
      ),
  );
}
