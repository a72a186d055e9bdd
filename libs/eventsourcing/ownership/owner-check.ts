import type { Recorded } from '#kernel';
import type { LogOwner, LogRecord, OwnedLog } from '../ports/owned-log.js';
import type { Mark } from './log-mark.js';

const PAGE = 1_000;

/** What the owner that a log names, or its events where it names none, say against that it is this installation's. */
export class OwnerCheck {
  constructor(
    private readonly options: {
      readonly log: Pick<OwnedLog, 'head' | 'subscribe'>;
      /** Whether an event was made with these keys; undefined: it does not tell. */
      readonly keysFit: (event: Recorded) => boolean | undefined;
      /** Told what is waited for. */
      readonly waits: (words: string) => void;
    },
  ) {}

  /** What its owner, or that it has none, says against the log. */
  async against(
    { owner }: LogRecord,
    me: LogOwner,
    { atStart, known }: { readonly atStart: boolean; readonly known: Mark | undefined },
  ): Promise<{ readonly words: string; readonly found: readonly string[] } | undefined> {
    if (owner !== undefined) {
      if (owner.installation !== me.installation) {
        return {
          words: `The event log belongs to another installation (${owner.installation}) than this one (${me.installation}): each has its own log, keys and gateway.`,
          found: ['owner', owner.installation, me.installation],
        };
      }
      if (owner.keys === me.keys) return undefined;
      return {
        words:
          'The event log was written with other keys: what was sealed with them cannot be opened, and no credential fits.',
        found: ['keys', owner.keys, me.keys],
      };
    }
    // Whoever has written to it may go on: it was taken by a build that named no owner.
    if (known !== undefined && atStart) return undefined;
    if (!atStart) return { words: 'The event log names its owner no more.', found: ['unowned'] };
    if ((await this.options.log.head()) === 0n) return undefined;
    const fit = await this.#keysFit();
    if (fit === true) return undefined;
    return fit === false
      ? { words: 'The event log was written with other keys than those of this installation.', found: ['keys'] }
      : {
          words:
            'The event log names no owner, and has nothing in it that would tell whether the keys of this installation fit.',
          found: ['unowned'],
        };
  }

  /** By the first event that tells; undefined where none does. */
  async #keysFit(): Promise<boolean | undefined> {
    const { log, keysFit, waits } = this.options;
    waits('looks through the event log for something that its keys can be checked against');
    const stop = new AbortController();
    for await (const { events, caughtUp } of log.subscribe(0n, PAGE, stop.signal)) {
      for (const event of events) {
        const fit = keysFit(event);
        if (fit !== undefined) return fit;
      }
      if (caughtUp) break;
    }
    return undefined;
  }
}
