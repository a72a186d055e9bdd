import { Controller, Get } from '@nestjs/common';
import { z } from 'zod';
import {
  AllowFor,
  type AnswerOf,
  type Call,
  Describe,
  DOMAIN_CODES,
  ERROR_TYPES,
  oneOfWords,
  optional,
  read,
  TheCall,
  text,
  words,
} from '#http';
import { METRICS_ANSWER, MetricsHistory, REFUSALS_OF, SERIES_NAMES, type Span } from '#metrics';

const CODES: ReadonlySet<string> = new Set([...DOMAIN_CODES, ...Object.keys(ERROR_TYPES)]);

const NAMES = `must be a name of a series: ${SERIES_NAMES.join(', ')}, or ${REFUSALS_OF}<code>`;

const isSeries = (name: string): boolean =>
  (SERIES_NAMES as readonly string[]).includes(name) ||
  (name.startsWith(REFUSALS_OF) && CODES.has(name.slice(REFUSALS_OF.length)));

const QUERY = z.object({
  span: optional(oneOfWords<Span>(['hour', 'day'])).describe(
    '`hour`: the last hour by the second, if absent. `day`: the last day by the minute.',
  ),
  series: optional(words('series', text('line').refine(isSeries, { error: NAMES }))).describe(
    `The names of series: ${SERIES_NAMES.map((name) => `\`${name}\``).join(', ')}, or \`${REFUSALS_OF}<code>\`. All if absent, with the ten most frequent codes of refusals.`,
  ),
  process: optional(text('line')).describe('The id of one process, whose values alone are shown.'),
});

/** What the processes of the service have measured (ruling G11.5). */
@AllowFor('operator')
@Controller('operators/metrics')
export class MetricsHistoryController {
  constructor(private readonly history: MetricsHistory) {}

  @Describe({
    summary:
      'Shows the last hour of each process by the second, or its last day by the minute: sales, holds, refusals, requests and how long they took, views, the gateway. It outlasts a restart, and sums the processes up.',
    parameters: QUERY,
    answer: METRICS_ANSWER,
  })
  @Get('')
  async show(@TheCall() call: Call): Promise<AnswerOf<typeof METRICS_ANSWER>> {
    const { span = 'hour', series, process } = read(QUERY, call.parameters, 'metrics');
    return this.history.read({ span, series, process });
  }
}
