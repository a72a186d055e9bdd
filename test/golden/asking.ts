import type { Answer, AskOptions, RunningService } from '../support/running-service.js';
import type { RecordedAnswer, As, RecordedRequest, Recording } from './recording.js';

/** Sends the requests of a recording to a service. */
export class Asking {
  constructor(
    private readonly service: RunningService,
    private readonly credentials: Recording['credentials'],
  ) {}

  send({ as, method, path, body, repeats }: RecordedRequest): Promise<Answer> {
    return this.service.ask(method, path, {
      ...this.#who(as),
      ...(body === undefined ? {} : { body }),
      ...(repeats === undefined ? {} : { headers: { 'idempotency-key': repeats } }),
    });
  }

  /** Sends the request; returns it with its present answer. */
  async record(request: RecordedRequest): Promise<RecordedAnswer> {
    const { status, headers, text, bytes } = await this.send(request);
    const type = headers['content-type'] ?? '';
    const content = type.startsWith('image/') ? { base64: bytes.toString('base64') } : { text };
    // A later build may improve the words of an error, but not those of an answer kept for repeats.
    const contract = status < 400 || request.repeats !== undefined ? request.contract : 'refuses';
    return { ...request, contract, status, type, ...content };
  }

  #who(as: As): AskOptions {
    switch (as) {
      case 'nobody':
        return {};
      case 'operator':
        return { token: this.service.operatorToken };
      case 'auditor':
        return { token: this.service.auditorToken };
      case 'acme-v3':
        return { basic: this.credentials[as] };
      default:
        return { key: this.credentials[as] };
    }
  }
}
