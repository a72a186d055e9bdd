import type { Time } from '#eventsourcing';
import { parsedJson } from '#kernel';
import { COMMAND_LINE } from '#kernel/bounds';
import { ExitCode, CommandFailure } from './command-failure.js';
import type { Target } from './target.js';

/** Sends operators' requests to the running service over HTTP. */
export class ServiceClient {
  constructor(
    private readonly target: Target,
    private readonly time: Time,
  ) {}

  /**
   * Sends one request and returns the body of the answer.
   * @throws CommandFailure if the service does not answer, or refuses
   */
  async ask<Body>(method: 'GET' | 'POST' | 'DELETE', path: string): Promise<Body> {
    const { url, token } = this.target;
    const response = await fetch(new URL(`/operators${path}`, url), {
      method,
      headers: { authorization: `Bearer ${token}` },
      signal: this.time.timeout(COMMAND_LINE.wait),
    }).catch((error: unknown) => {
      throw unreached(url, reasonOf(error));
    });
    const body = parsedJson(await textOf(response, url)) as { readonly error_msg?: string } | undefined;
    if (response.ok) return body as Body;
    throw failureOf(response.status, body?.error_msg ?? `HTTP ${response.status}`, url);
  }
}

/** @throws CommandFailure if the answer is too large or breaks off */
async function textOf({ body }: Response, url: string): Promise<string> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const piece of (body ?? []) as AsyncIterable<Uint8Array>) {
      size += piece.length;
      if (size > COMMAND_LINE.answer) break;
      pieces.push(piece);
    }
  } catch (error) {
    throw new CommandFailure(`The answer of ${url} broke off (${reasonOf(error)}).`, ExitCode.unreachable);
  }
  if (size <= COMMAND_LINE.answer) return Buffer.concat(pieces).toString();
  throw new CommandFailure(
    `The answer of ${url} is larger than ${COMMAND_LINE.answer} bytes: is it Holdfast?`,
    ExitCode.refused,
  );
}

function failureOf(status: number, message: string, url: string): CommandFailure {
  switch (status) {
    case 401:
      return new CommandFailure(`${url} does not know this token: ${message}.`, ExitCode.usage);
    case 403:
      return new CommandFailure(`${url}: ${message}.`, ExitCode.usage);
    case 404:
      return new CommandFailure(
        'This view or generation does not exist: `projections list` names those that do.',
        ExitCode.refused,
      );
    case 503:
      return new CommandFailure(
        `The service cannot do this at the moment: ${message}. Try again later.`,
        ExitCode.unreachable,
      );
    default:
      return new CommandFailure(`The service refused: ${message}.`, ExitCode.refused);
  }
}

/** Node's codes for a certificate that no known authority has signed. */
const UNTRUSTED =
  /^(DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_VERIFY_LEAF_SIGNATURE|UNABLE_TO_GET_ISSUER_CERT.*)$/;

function unreached(url: string, reason: string): CommandFailure {
  const what = UNTRUSTED.test(reason)
    ? `The certificate of ${url} is not trusted (${reason}). Set NODE_EXTRA_CA_CERTS=<file> to the one that signed it.`
    : `No service answers at ${url} (${reason}). Is it running?`;
  return new CommandFailure(what, ExitCode.unreachable);
}

/** The reason of a failed connection; fetch has it in the error's cause. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error ? (error.cause as { readonly code?: string } | undefined) : undefined;
  return cause?.code ?? (error instanceof Error ? error.message : String(error));
}
