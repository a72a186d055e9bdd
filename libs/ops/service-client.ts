import { ExitCode, OpsFailure } from './failure.js';
import type { Target } from './target.js';

/** Longer than any answer of a service that works: an order waits ten seconds for the projector. */
const PATIENCE = 30_000;

/** Asks the running service what operators ask, over HTTP. */
export class ServiceClient {
  constructor(private readonly target: Target) {}

  /**
   * Sends one request; the answer's body.
   * @throws OpsFailure in words
   */
  async ask<Body>(method: 'GET' | 'POST' | 'DELETE', path: string): Promise<Body> {
    const { url, token } = this.target;
    const response = await fetch(new URL(`/operators${path}`, url), {
      method,
      headers: { authorization: `Bearer ${token}` },
      signal: AbortSignal.timeout(PATIENCE),
    }).catch((error: unknown) => {
      throw new OpsFailure(`No service answers at ${url} (${reasonOf(error)}). Is it running?`, ExitCode.unreachable);
    });
    const body = (await response.json().catch(() => undefined)) as { readonly error_msg?: string } | undefined;
    if (response.ok) return body as Body;
    throw failureOf(response.status, body?.error_msg ?? `HTTP ${response.status}`, url);
  }
}

function failureOf(status: number, message: string, url: string): OpsFailure {
  switch (status) {
    case 401:
      return new OpsFailure(`${url} does not know this token: ${message}.`, ExitCode.usage);
    case 403:
      return new OpsFailure(`${url}: ${message}.`, ExitCode.usage);
    case 404:
      return new OpsFailure(
        'There is no such view or generation: `projections list` names those there are.',
        ExitCode.refused,
      );
    case 503:
      return new OpsFailure(
        `The service cannot do that just now: ${message}. Try again in a moment.`,
        ExitCode.unreachable,
      );
    default:
      return new OpsFailure(`The service refused: ${message}.`, ExitCode.refused);
  }
}

/** The reason of a failed connection, which fetch keeps in the cause. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error ? (error.cause as { readonly code?: string } | undefined) : undefined;
  return cause?.code ?? (error instanceof Error ? error.message : String(error));
}
