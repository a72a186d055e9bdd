import { z } from 'zod';
import { filled, share, text, wholeFrom } from '../environment.js';

/** The samplers that OpenTelemetry names. */
const SAMPLERS = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;

const NAME = /^[\w!#$&'*+.^`|~-]+$/;
/** Printable, without what separates names, values and pairs. */
const VALUE = /^[!#-+\--:<-[\]-~]*$/;

/** Names and values, such as `x-api-key=secret,team=deals`. */
const pairs = (): z.ZodOptional<z.ZodString> =>
  text('several')
    .refine((setting) => setting.split(',').every(isPair), {
      error: 'must be <name>=<value>, with commas between several, and with % codes for what else a value has',
    })
    .optional();

/**
 * The variables of traces: standard ones of OpenTelemetry, whose exporter reads most of them itself. It would say nothing of a wrong
 * value.
 */
export const TRACE_VARIABLES = {
  OTEL_EXPORTER_OTLP_ENDPOINT: text('url')
    .refine(isEndpoint, { error: 'must be a URL such as http://127.0.0.1:4318, without user, password and query' })
    .optional(),
  OTEL_EXPORTER_OTLP_PROTOCOL: z.literal('http/protobuf', { error: 'must be http/protobuf' }).optional(),
  OTEL_EXPORTER_OTLP_HEADERS: pairs(),
  OTEL_EXPORTER_OTLP_TIMEOUT: wholeFrom(1, 60_000, 'must be milliseconds, 1 to 60000').optional(),
  OTEL_SERVICE_NAME: filled('word', 'must be a name').optional(),
  OTEL_RESOURCE_ATTRIBUTES: pairs(),
  OTEL_TRACES_SAMPLER: z
    .enum(SAMPLERS, { error: 'must be a sampler of OpenTelemetry, such as parentbased_traceidratio' })
    .default('parentbased_always_on'),
  OTEL_TRACES_SAMPLER_ARG: share('must be the part of the traces, 0 to 1').default(1),
};

function isEndpoint(setting: string): boolean {
  const url = URL.parse(setting);
  if (url === null || !['http:', 'https:'].includes(url.protocol)) return false;
  return url.username === '' && url.password === '' && !/[?#]/.test(setting);
}

function isPair(pair: string): boolean {
  const at = pair.indexOf('=');
  const [name, value] = [pair.slice(0, Math.max(at, 0)).trim(), pair.slice(at + 1).trim()];
  return NAME.test(name) && VALUE.test(value) && isDecodable(value);
}

function isDecodable(value: string): boolean {
  try {
    decodeURIComponent(value);
    return true;
  } catch {
    return false;
  }
}
