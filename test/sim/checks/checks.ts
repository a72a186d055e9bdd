import type { Recorded } from '#kernel';
import { views } from '#platform/model';
import type { Fault } from '../core/faults.js';
import type { Act, Try } from '../workload/history.js';
import type { Installation } from '../world/installation.js';
import type { World } from '../world/world.js';
import { Addresses } from './addresses.js';
import { Answers } from './answers.js';
import { Codes } from './codes.js';
import { Coupons } from './coupons.js';
import { FollowersOfAnswers } from './followers.js';
import { LiveViews } from './live-views.js';
import { OrderOfLog } from './order-of-log.js';
import { Places } from './places.js';
import { Units } from './units.js';
import { Violation } from './violation.js';

/** How often the rows of every view are compared, in milliseconds of the world. */
const COMPARED_EVERY = 40_000;

/** Faults for which a right view has to be built again. */
const DAMAGES: readonly Fault[] = ['disk: a file of a view is damaged', 'disk: a file of a view is lost'];

/** Everything that is checked while a world runs: after each event that is on disk, and after each answer. */
export class Checks {
  readonly units = new Units();
  readonly coupons = new Coupons();
  readonly answers: Answers;
  /** When each event was written, in milliseconds of the world, by its index in the log. */
  readonly written: number[] = [];
  readonly #order = new OrderOfLog();
  readonly #places = new Places();
  readonly #codes = new Codes();
  readonly addresses = new Addresses();
  readonly #followers: FollowersOfAnswers;
  readonly #views: LiveViews;
  #over = false;

  constructor(
    private readonly world: World,
    installation: Installation,
  ) {
    this.answers = new Answers(installation);
    this.#followers = new FollowersOfAnswers(installation.log);
    this.#views = new LiveViews(installation.views, installation.log, views);
    installation.views.onPromoted(({ view, number, finished }) => {
      if (finished) return;
      const words = new Violation('a generation goes live when it is whole', `view ${view.name}`, `${number} is not`);
      world.fail(words);
    });
    installation.views.onLiveDropped((generation) => {
      const { struck } = world.faults;
      const isFile = DAMAGES.some((fault) => struck.has(fault));
      if (!isFile) this.#guarded(() => this.#views.dropped(generation));
    });
    installation.log.onWritten((event) => this.#event(event));
  }

  /** Told of every try that has ended. */
  readonly witness = (act: Act, tried: Try): void => {
    this.#guarded(() => {
      this.answers.check(act, tried);
      this.#followers.check(act, tried);
    });
  };

  /** Checks nothing any more: the log loses events that were checked. */
  end(): void {
    this.#over = true;
  }

  /** Compares the live views with the log now and then, from now on. */
  watchViews(): void {
    const look = (): void => {
      this.#guarded(() => this.#views.check());
      this.world.scheduler.after(COMPARED_EVERY, look);
    };
    look();
  }

  #event(event: Recorded): void {
    this.written.push(this.world.scheduler.now);
    this.#guarded(() => {
      for (const check of [this.#order, this.units, this.coupons, this.#codes, this.#places, this.addresses])
        check.check(event);
    });
  }

  /** A violation ends the world; nothing of the product may see it. */
  #guarded(check: () => void): void {
    if (this.#over) return;
    try {
      check();
    } catch (error) {
      this.world.fail(error instanceof Error ? error : new Error(String(error)));
    }
  }
}
