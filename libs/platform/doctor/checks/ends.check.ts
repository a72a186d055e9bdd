import { endingSoon, endInWords, endOfAccessTokens, endsOfTokens } from '../../ends.js';
import type { Looks } from '../looks.js';
import { look, ok, type Result, together } from '../verdict.js';

/** What ends within 14 days besides the certificate, which has a check of its own. */
export async function checkEnds({ service, settings: { config }, now }: Looks): Promise<Result> {
  const tokens = await service.then(
    (found) => found.tokens,
    () => undefined,
  );
  const ends = endingSoon([...endsOfTokens(tokens ?? []), endOfAccessTokens(config)], now);
  return together([
    ok(
      tokens === undefined ? 'only the service knows the tokens of operators' : `${tokens.length} tokens of operators`,
    ),
    ...ends.map((end) => look(endInWords(end, now), end.todo)),
  ]);
}
