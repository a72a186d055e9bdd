import { UNFINISHED } from '#kernel/bounds';

/** Room for the pieces of one body. */
export interface BodyRoom {
  /** Takes room for a piece. @returns whether there is some */
  take(bytes: number): boolean;
  /** Gives all of it back. */
  end(): void;
}

/**
 * Counts the bytes of bodies that have come in part: many callers who send the rest slowly, or never, would fill the memory. A body
 * that came together with its head is never counted.
 */
export class UnfinishedBodies {
  #bytes = 0;
  #ofStrangers = 0;

  /** @param isStranger whether the caller's credential is not known yet */
  of(isStranger: boolean): BodyRoom {
    let taken = 0;
    const add = (bytes: number): void => {
      taken += bytes;
      this.#bytes += bytes;
      if (isStranger) this.#ofStrangers += bytes;
    };
    return {
      take: (bytes) => {
        const fits =
          this.#bytes + bytes <= UNFINISHED.bytes &&
          (!isStranger || this.#ofStrangers + bytes <= UNFINISHED.ofStrangers);
        if (fits) add(bytes);
        return fits;
      },
      end: () => add(-taken),
    };
  }
}
