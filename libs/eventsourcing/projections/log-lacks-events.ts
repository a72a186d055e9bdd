import { UnreadableEvent } from '../events/codec.js';
import { describeFinding } from '../findings/finding.js';
import type { Finding } from '../ports/finding.js';

/** The log lacks something before this event: a view that is built from it would show a past that never was. */
export class LogLacksEvents extends UnreadableEvent {
  override name = 'LogLacksEvents';
  constructor(finding: Finding) {
    super(describeFinding(finding));
  }
}
