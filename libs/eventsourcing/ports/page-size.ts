import { DomainError } from '#kernel';

/** Counts what the rows of a page hold, and refuses a page that holds too much: before more of it is read. */
export class PageSize {
  #left: number;

  /** @param most characters of the rows' texts together; without it, any number */
  constructor(private readonly most = Infinity) {
    this.#left = most;
  }

  /**
   * Counts one row more.
   * @throws DomainError page_too_large
   */
  take(characters: number): void {
    this.#left -= characters;
    if (this.#left >= 0) return;
    throw new DomainError(
      'page_too_large',
      `the page holds more than ${this.most} characters: ask for fewer rows with per_page`,
    );
  }
}
