import { unpackToCommandError } from '@eventstore/db-client/dist/streams/appendToStream/unpackError.js';
import { ErrorType, isCommandError, WrongExpectedVersionError } from '@eventstore/db-client';
import type { Status } from '@eventstore/db-client/generated/status_pb.js';
import type { BatchAppendResp } from '@eventstore/db-client/generated/streams_pb.js';
import { NO_STREAM } from '#eventsourcing';
import { type AppendAnswer, NotTaken, ServerRefusal, StreamDeleted } from './server.js';

/** The server has answered without saying whether it wrote. Its message is the error of the append and of its line. */
export class NoOutcome extends Error {
  override name = 'NoOutcome';
}

/** The server has not carried out an append within its time limit, as far as it knows. */
export class TooLate extends Error {
  override name = 'TooLate';
}

/** Begins the name of every answer that EventStoreDB has a name for. */
const OWN_NAMES = 'event_store.client.';
/** Answers of a server that has not even looked at the append. They have no name. */
const NOT_TAKEN = /^(Server Is (Not Ready|Too Busy)|Leader info available|No leader info available)/i;

/**
 * What an answer on the line says about its append.
 * @throws ServerRefusal | StreamDeleted this sending wrote nothing; NotTaken the same, and it may be sent again; any other
 * error leaves the outcome unknown: an answer is none of the others unless it stands in the list here
 */
export function outcomeIn(answer: BatchAppendResp, stream: string): AppendAnswer {
  const success = answer.getSuccess();
  const place = success?.getPosition();
  if (success !== undefined && place !== undefined) {
    const [revision, position] = [Number(success.getCurrentRevision()), BigInt(place.getCommitPosition())];
    return { kind: 'written', revision, position };
  }
  const status = answer.getError();
  if (status === undefined) throw new NoOutcome('the server named no position');
  return outcomeOf(status, stream);
}

function outcomeOf(status: Status, stream: string): AppendAnswer {
  const name = status.getDetails()?.getTypeName() ?? '';
  switch (name.startsWith(OWN_NAMES) ? name.slice(OWN_NAMES.length) : '') {
    case 'WrongExpectedVersion': {
      const error = unpackToCommandError(status, stream);
      if (!(error instanceof WrongExpectedVersionError)) break;
      const { actualVersion } = error;
      return { kind: 'conflict', actual: typeof actualVersion === 'bigint' ? Number(actualVersion) : NO_STREAM };
    }
    case 'StreamDeleted':
      throw new StreamDeleted(`${stream} was deleted for ever`);
    case 'AccessDenied':
      throw new ServerRefusal('denied');
    case 'MaximumAppendSizeExceeded':
      throw new ServerRefusal('append too large', mostIn(status, stream));
    case 'MaximumAppendEventSizeExceeded':
      throw new ServerRefusal('event too large');
    case 'BadRequest':
      throw new ServerRefusal('malformed');
    case 'Timeout':
      throw new TooLate('the server has not carried it out within its time limit');
    default:
  }
  const words = status.getMessage();
  throw NOT_TAKEN.test(words)
    ? new NotTaken(words)
    : new NoOutcome(`an answer that this build does not know: ${words}`);
}

function mostIn(status: Status, stream: string): number | undefined {
  const error = unpackToCommandError(status, stream);
  if (!isCommandError(error) || error.type !== ErrorType.MAXIMUM_APPEND_SIZE_EXCEEDED) return undefined;
  return error.maxAppendSize;
}
