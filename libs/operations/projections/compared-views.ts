import {
  GenerationComparison,
  type GenerationRows,
  type Time,
  Unavailable,
  type ViewReaders,
  type ViewStatus,
} from '#eventsourcing';
import { DomainError, type View } from '#kernel';
import { unknownProjection } from './projection-order.commands.js';

/** A comparison under way. */
export interface OpenComparison {
  /** The generation that readers use. */
  readonly live: number;
  readonly comparison: GenerationComparison;
  /** Closes what it reads. */
  end(): void;
}

/** Compares generations of views (ruling G6.1), one comparison at a time in each process. */
export class ComparedViews {
  #runs = false;

  constructor(
    private readonly views: readonly View[],
    private readonly readers: Pick<ViewReaders, 'generation'>,
    private readonly time: Time,
  ) {}

  /**
   * Begins to compare a generation with the live one. Whoever begins it ends it.
   * @throws DomainError not_found, projection_refused; Unavailable if another one runs
   */
  begin(status: ViewStatus, number: number): OpenComparison {
    const view = this.views.find(({ name }) => name === status.view);
    const given = status.generations.find((each) => each.number === number);
    if (view === undefined || given === undefined) throw unknownProjection();
    const name = `generation ${number} of ${status.view}`;
    const live = status.generation;
    if (live === null) throw new DomainError('projection_refused', `no generation of ${status.view} is live`);
    if (given.state === 'live') throw new DomainError('projection_refused', `${name} is the live one`);
    if (given.state !== 'ready')
      throw new DomainError('projection_refused', `${name} is not ready: it is ${given.state}`);
    if (this.#runs) throw new Unavailable('generations are being compared for somebody else', 10);
    const ofLive = this.readers.generation(view, live);
    const ofOther = this.#openBeside(ofLive, view, number);
    this.#runs = true;
    return {
      live,
      comparison: new GenerationComparison(ofLive, ofOther, this.time),
      end: () => {
        this.#runs = false;
        ofLive.close();
        ofOther.close();
      },
    };
  }

  #openBeside(opened: GenerationRows, view: View, number: number): GenerationRows {
    try {
      return this.readers.generation(view, number);
    } catch (error) {
      opened.close();
      throw error;
    }
  }
}
