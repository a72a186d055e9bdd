import type { Measurement } from './bench.js';
import { append } from './rows/append.js';
import { beside } from './rows/beside.js';
import { besideClaims } from './rows/beside-claims.js';
import { ceiling, LONG, SHORT } from './rows/ceilings.js';
import { expiry } from './rows/expiry.js';
import { growth, memoryLarge } from './rows/growth.js';
import { namedLists } from './rows/named-lists.js';
import { item, list, search } from './rows/reads.js';
import { rebuild, rebuildEach } from './rows/rebuilds.js';
import { refund } from './rows/refund.js';
import { reserveCpu } from './rows/reserve-cpu.js';
import { reserveMeasured } from './rows/reserve-measured.js';
import { reserveTraced } from './rows/reserve-traced.js';
import { sales } from './rows/sales.js';
import { spread } from './rows/spread.js';
import { memory, start, startCpu } from './rows/starts.js';
import type { RowId } from './rows.table.js';

/** How each row is measured. */
export const MEASUREMENTS: Readonly<Record<RowId, Measurement>> = {
  'ceiling-small': ceiling(SHORT),
  'ceiling-list': ceiling(LONG),
  append,
  'start-cpu': startCpu,
  memory,
  'stored-card': sales('stored-card'),
  full: sales('full'),
  claim: sales('claim'),
  redeem: sales('redeem'),
  refund,
  reserve: sales('reserve'),
  'reserve-1000': sales('reserve-1000'),
  'reserve-cpu': reserveCpu,
  'reserve-traced': reserveTraced,
  'reserve-measured': reserveMeasured,
  'beside-claims': besideClaims,
  expiry,
  'get-purchase': item('get-purchase'),
  'get-deal': item('get-deal'),
  'v1-region': search('v1-region'),
  'v1-price': search('v1-price'),
  'v1-place': search('v1-place'),
  'v3-region': search('v3-region'),
  'v3-price': search('v3-price'),
  'v3-place': search('v3-place'),
  purchases: list('purchases'),
  coupons: list('coupons'),
  spread,
  beside,
  start,
  rebuild,
  'rebuild-each': rebuildEach,
  'named-lists': namedLists,
  growth,
  'memory-large': memoryLarge,
};
