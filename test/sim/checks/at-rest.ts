import type { Answer, Installation, Request } from '../world/installation.js';
import type { World } from '../world/world.js';
import { everyOrder } from '../workload/every-order.js';
import { everyKind } from '../workload/every-kind.js';
import type { Workload } from '../workload/workload.js';
import { checkAudit } from './audit.js';
import { checkDeals } from './check-deals.js';
import type { Checks } from './checks.js';
import { checkEffects } from './effects.js';
import { checkGenerations } from './generations.js';
import { checkIncentives } from './incentives.js';
import { checkLinksLeft } from './links-left.js';
import { checkLists } from './lists.js';
import { checkMails } from './mails.js';
import { NaiveViews } from './naive-views.js';
import { checkPurchaseStates } from './purchase-states.js';
import { checkReasonsOfMails } from './reasons-of-mails.js';
import { checkRecipients } from './recipients.js';
import { checkRefusals } from './refusals.js';
import { checkResales } from './resales.js';
import { checkSaleValues } from './sale-values.js';
import { checkSales } from './sales.js';
import { checkHolds, checkReady } from './served.js';
import { Violation } from './violation.js';

const MINUTE = 60_000;
const DAY = 86_400_000;
/** The longest pause of a process is over after it. */
const PAUSES = 3.1 * MINUTE;
/** So long after nothing fails any more, by the world's time, everything that is due must be done. */
const BOUND = 30 * MINUTE;
/** The next time at which it is so late in the day, in UTC. */
const nextAt =
  (ofDay: number) =>
  (now: number): number =>
    Math.floor(now / DAY) * DAY + ofDay + (now % DAY < ofDay ? 0 : DAY);
/** To what times the clock then moves: over the ends of holds, two daily updates, the second earlier in its day, and batches. */
const AHEAD: readonly ((now: number) => number)[] = [
  (now) => now + 6 * MINUTE,
  nextAt(15 * 60 * MINUTE),
  nextAt(9.5 * 60 * MINUTE),
  (now) => now + 2 * DAY,
];
/** How often it looks, in milliseconds of the world. */
const LOOK_EVERY = 2_000;

/** What must be true of a world once nothing fails any more. */
export class AtRest {
  readonly #views = new NaiveViews();

  constructor(
    private readonly world: World,
    private readonly installation: Installation,
    private readonly workload: Workload,
    private readonly checks: Checks,
  ) {}

  /**
   * Lets the world come to rest, moves its clock over everything that waits for a time, and checks it.
   * @param allUp resolves when every process runs
   * @throws Violation
   */
  async check(allUp: () => Promise<void>): Promise<void> {
    const { world, installation, checks } = this;
    await world.scheduler.sleep(PAUSES);
    do await allUp();
    while (await this.#mustRestart());
    checks.answers.calm = true;
    await this.#settle('after the faults');
    for (const at of AHEAD) {
      const now = await this.workload.moveClockOn(at);
      await this.#settle(`at ${now}`);
    }
    checkEffects(installation.log.events, this.workload.history);
    // The commands of every kind below are no acts with a meaning.
    checkLinksLeft(installation.log.events, checks.written, this.workload.history);
    checkResales(installation.log.events, this.workload.history);
    const { decided, givenUp } = checkDeals(installation.log.events, checks.written, this.workload.history);
    world.trace.tell('checks', `the units of ${decided} deals are linearizable, ${givenUp} were given up`);
    await everyKind(this.workload);
    await everyOrder(this.workload);
    await this.#settle('after a command of every kind');
    const { log, gateway, mails } = installation;
    const ask = (request: Request): Promise<Answer> => this.workload.insist(request);
    await checkReady(installation.apis);
    checkHolds(checks.units, this.workload.clock.now());
    await checkGenerations(ask, installation.views);
    checkSales(log.events, gateway);
    await checkAudit(log.events, this.world);
    checkSaleValues(log.events);
    checkIncentives(log.events, checks.written);
    checkPurchaseStates(log.events, this.#views.of('purchases'));
    checkMails(log.events, checks.written, mails.received);
    checkRecipients(log.events, this.workload.history, mails.received);
    checkReasonsOfMails(log.events, checks.written);
    checkRefusals(log.events, checks.written, this.workload.history);
    checks.addresses.checkAtRest(log.events);
    await checkLists(ask, this.workload.known, this.#views, {
      units: checks.units,
      now: () => this.workload.clock.now(),
    });
  }

  /** Waits until no work is due and every view has followed the log. @throws Violation if that takes too long */
  async #settle(when: string): Promise<void> {
    const { scheduler } = this.world;
    const until = scheduler.now + BOUND;
    for (;;) {
      await scheduler.sleep(LOOK_EVERY);
      this.#views.follow(this.installation.log.events);
      const due = this.#views.dueBefore(this.workload.clock.now());
      const difference = due.length === 0 ? this.#views.difference(this.installation.views) : undefined;
      if (due.length === 0 && difference === undefined) return;
      if (scheduler.now <= until) continue;
      if (difference !== undefined) throw difference;
      throw new Violation('nothing is stuck', when, `work that is due: ${due.join(', ')}`);
    }
  }

  /** Whether a disk has failed, so that the process must start again; the chaos does that. */
  async #mustRestart(): Promise<boolean> {
    const must = this.installation.processes.some(({ needsRestart }) => needsRestart);
    if (must) await this.world.scheduler.sleep(LOOK_EVERY);
    return must;
  }
}
