import type { Recorded } from '#kernel';
import type { CheckedLog, LogOwner, LogRecord, OwnedLog } from '../ports/owned-log.js';
import type { Mark } from './log-mark.js';

const PAGE = 1_000;

/** Checks that the owner that a log names is this installation; if it names none, the events decide. */
export class OwnerCheck {
  constructor(
    private readonly options: {
      readonly log: Pick<OwnedLog, 'subscribe'>;
      /** Whether an event was made with these keys; undefined if it does not tell. */
      readonly keysFit: (event: Recorded) => boolean | undefined;
      /** Called with what the check waits for. */
      readonly waits: (words: string) => void;
    },
  ) {}

  /** The finding about the log's owner, or about its having none. */
  async against(
    { owner }: LogRecord,
    me: LogOwner,
    {
      atStart,
      known,
      log,
    }: { readonly atStart: boolean; readonly known: Mark | undefined; readonly log: Pick<CheckedLog, 'head'> },
  ): Promise<{ readonly words: string; readonly found: readonly string[] } | undefined> {
    if (owner !== undefined) {
      if (owner.installation !== me.installation) {
        return {
          words: `The event log belongs to another installation (${owner.installation}) than this one (${me.installation}). Each has its own log, keys and gateway: correct the settings that name them.`,
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
    // An installation that has written to the log may continue: a build that named no owner took it.
    if (known !== undefined && atStart) return undefined;
    if (!atStart) return { words: 'The event log no longer names its owner.', found: ['unowned'] };
    if ((await log.head()) === 0n) return undefined;
    const fit = await this.#keysFit();
    if (fit === true) return undefined;
    return fit === false
      ? { words: 'The event log was written with other keys than those of this installation.', found: ['keys'] }
      : {
          words:
            'The event log names no owner, and none of its events shows whether the keys of this installation fit.',
          found: ['unowned'],
        };
  }

  /** By the first event that tells; undefined if none does. */
  async #keysFit(): Promise<boolean | undefined> {
    const { log, keysFit, waits } = this.options;
    waits('searches the event log for an event that shows its keys');
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
