import type { Logger } from 'pino';
import { everything } from '#eventsourcing';
import { operatorTokensView } from '#operations/model';
import type { Config } from '../config.js';
import { EndWarnings } from '../end-warnings.js';
import { endOfAccessTokens, endsOfCertificate, endsOfTokens } from '../ends.js';
import type { Engine } from '../engine.js';

/** Tokens whose end is looked at. */
const MOST_TOKENS = 1_000;

/** Warnings of the ends of tokens, the certificate and the issuing of access tokens. */
export function openEndWarnings(
  config: Config,
  { reader, clock, time }: Pick<Engine, 'reader' | 'clock' | 'time'>,
  logger: Logger,
): EndWarnings {
  const asked = { where: everything, sort: [], page: 1, perPage: MOST_TOKENS };
  // A view that cannot be read now hides no other end.
  const tokens = () =>
    reader
      .of(operatorTokensView)
      .find(asked)
      .catch(() => []);
  return new EndWarnings(
    async () => [
      ...endsOfTokens((await tokens()).map(({ row }) => row)),
      ...endsOfCertificate(config),
      endOfAccessTokens(config),
    ],
    clock,
    time,
    (words) => logger.warn(words),
  );
}
