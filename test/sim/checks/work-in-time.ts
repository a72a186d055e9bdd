import type { Installation } from '../world/installation.js';
import type { World } from '../world/world.js';
import { NaiveViews } from './naive-views.js';
import { Violation } from './violation.js';

/** The work lists that need nothing but the log and its views. */
const LISTS: ReadonlySet<string> = new Set(['followers', 'hold-expiry']);
/** Faults that do not hinder such work. */
const ELSEWHERE = /^(?:client|gateway|mail):/;
/** Work that is due is done so long after everything is well, in milliseconds: whatever happened before, pauses begin anew. */
const WITHIN = 20_000;
/** A message may be late by so much. */
const LATE = 20_000;
const LOOK_EVERY = 5_000;

/** Due work is not late for what is over: while all servers and processes are well, it is done at once. */
export class WorkInTime {
  readonly #views = new NaiveViews(LISTS);
  #struck = 0;
  /** When the last fault struck, in milliseconds of the world. */
  #struckAt = 0;
  /** When each row was first seen due while everything was well, in milliseconds of the world. */
  #dueSince = new Map<string, number>();

  constructor(
    private readonly world: World,
    private readonly installation: Installation,
  ) {}

  /** Looks as long as the world lasts. */
  begin(): void {
    const look = (): void => {
      const late = this.#late();
      if (late !== undefined) this.world.fail(late);
      this.world.scheduler.after(LOOK_EVERY, look);
    };
    look();
  }

  #late(): Violation | undefined {
    const { now } = this.world.scheduler;
    const before = this.#isWell() ? this.#dueSince : new Map<string, number>();
    this.#views.follow(this.installation.log.events);
    const clock = this.installation.apis[0]?.service?.engine.clock.now() ?? 0;
    this.#dueSince = new Map(this.#views.dueBefore(clock).map((row) => [row, before.get(row) ?? now]));
    const late = [...this.#dueSince].filter(([, since]) => now - since > WITHIN).map(([row]) => row);
    return late.length === 0
      ? undefined
      : new Violation('due work is in time', `everything has been well for ${WITHIN / 1_000} s`, late.join(', '));
  }

  #isWell(): boolean {
    const { processes, servers } = this.installation;
    const strikes = this.world.faults.strikesInOrder;
    const { now } = this.world.scheduler;
    if (strikes.slice(this.#struck).some((strike) => !ELSEWHERE.test(strike))) this.#struckAt = now;
    this.#struck = strikes.length;
    // A process whose disk has failed does nothing more until an operator starts it again.
    const doesItsWork = processes.every(({ isWell, needsRestart }) => isWell && !needsRestart);
    return now - this.#struckAt >= LATE && doesItsWork && servers.every(({ isWell }) => isWell);
  }
}
