/**
 * The format of everything that this build writes, by name. Every later build reads it: what changes on disk gets a version of
 * its own and a way to read the old one. Builds before 1.0.0-rc.1 wrote other formats, which are refused by name.
 */
export const FORMAT = '1.0';

/** What another build wrote, in a format that this one does not read. The message says what to do. */
export class OtherFormat extends Error {
  override name = 'OtherFormat';

  /**
   * @param what was written, as the subject of a sentence
   * @param found the format that it names; undefined for none
   * @param begin what makes a new one possible, as text
   * @param known the formats that this build reads
   */
  constructor(what: string, found: unknown, begin: string, known: string | number = FORMAT) {
    const named = typeof found === 'string' ? found : JSON.stringify(found);
    super(
      `${what} was written by another build of Holdfast: it ${found === undefined ? 'names no format' : `has the format ${named}`}, ` +
        `and this build knows only ${known}. It is left as it is. Start the build that wrote it; or, if nothing in it is ` +
        `needed, ${begin}`,
    );
  }
}
