import type { AnswerOf } from '#http';
import { isoTime, type Recorded } from '#kernel';
import { wordsOf } from '../words/table.js';
import type { AUDITED_EVENT } from './event.answer.js';
import { withShownTimes } from './shown-times.js';

/** An event as auditors see it. */
export function presentEvent({
  position,
  stream,
  revision,
  type,
  data,
  metadata,
}: Recorded): AnswerOf<typeof AUDITED_EVENT> {
  const { time, actor, causation, command_id, correlation } = metadata;
  return {
    position: position.toString(),
    stream,
    revision,
    type,
    words: wordsOf({ type, data }),
    time: isoTime(time),
    actor,
    cause: causation,
    command_id,
    correlation,
    data: withShownTimes(data),
  };
}
