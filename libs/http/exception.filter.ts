import { Catch, HttpException, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import type { Logger } from 'pino';
import { Unavailable } from '#eventsourcing';
import { DomainError } from '#kernel';
import type { Caller } from './call.js';
import {
  answerTo,
  answerToBadQuery,
  BadQuery,
  FormedRefusal,
  plain,
  withDetail,
  type ErrorAnswer,
  type ErrorEntry,
} from './errors.js';
import { html } from './html.js';
import { REPLAYED } from './headers.js';
import { plainPage, plainPageHeaders } from './plain-page.js';
import { wantsPage } from './wants-json.js';
import { noteRefusal } from './request-log.js';
import { Repeated } from './idempotency.js';
import type { Unused } from './unused-parameters.js';

/** Turns every exception into an answer. It logs an unexpected one with the request's id, and answers 500. */
@Catch()
export class AnswerErrors implements ExceptionFilter {
  constructor(private readonly logger: Logger) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const reply = host.switchToHttp().getResponse<FastifyReply>();
    if (error instanceof Repeated) {
      reply.request.call.position = error.position;
      void reply
        .status(error.status)
        .header(REPLAYED, 'true')
        .headers(error.headers)
        .type(error.type)
        .send(Buffer.from(error.body));
      return;
    }
    if (error instanceof BadQuery) {
      const { status, body } = answerToBadQuery(error);
      void reply.status(status).send(body);
      return;
    }
    if (error instanceof FormedRefusal) {
      noteRefusal(reply.request, { type: error.errorType });
      void reply.status(error.status).send(error.body);
      return;
    }
    if (error instanceof DomainError && error.position !== undefined) reply.request.call.position = error.position;
    if (isNoPath(error) && wantsPage(reply.request.headers.accept)) {
      noteRefusal(reply.request, { type: 'find_failed' });
      void reply.status(404).headers(plainPageHeaders()).header('cache-control', 'no-store').send(NO_PAGE);
      return;
    }
    const { caller, unused } = reply.request.call;
    const answer = withNearNames(withoutInside(answerOf(error), caller), unused);
    if (answer.status === 500)
      this.logger.error({ err: error, request_id: reply.request.trace.requestId }, 'a call failed');
    noteRefusal(reply.request, {
      type: answer.body.error_type,
      stream: error instanceof Unavailable ? error.stream : undefined,
      code: error instanceof DomainError ? error.code : undefined,
    });
    const { method, headers, trace } = reply.request;
    // A program of a partner that takes anything takes JSON, too.
    if (method === 'GET' && caller.kind !== 'partner' && wantsPage(headers.accept)) {
      const page = refusalPage(answer, trace.requestId);
      void reply
        .status(answer.status)
        .headers({ ...answer.headers, ...plainPageHeaders(), 'cache-control': 'no-store' });
      void reply.send(page);
      return;
    }
    void reply.status(answer.status).headers(answer.headers).send(answer.body);
  }
}

/** What people see whose browser got a refusal: what it says, and where to go on. */
function refusalPage({ status, body }: ErrorAnswer, requestId: string): string {
  const title = TITLES[status] ?? (status >= 500 ? 'This did not work' : 'This was refused');
  const content = html`<main>
    <h1>${title}</h1>
    <p>${body.error_msg}</p>
    ${body.detail === undefined ? null : html`<p>${body.detail}</p>`}
    <p class="soft">
      Status ${status}. In the log of the service this request is <code>${requestId}</code>.
      <a href="/">This service</a> leads to the console and the reference.
    </p>
  </main>`;
  return plainPage(title, content).text;
}

const TITLES: Readonly<Record<number, string>> = {
  401: 'You are not signed in',
  403: 'You may not see this',
  404: 'There is nothing here',
  429: 'Too many requests',
  503: 'The service cannot answer now',
};

/**
 * Whoever has shown no credential learns only that the service cannot answer, not which stream, server or store hinders it
 * (rulings A8, G11).
 */
function withoutInside(answer: ErrorAnswer, { kind }: Caller): ErrorAnswer {
  if (kind !== 'nobody' || answer.body.error_type !== 'unavailable') return answer;
  return { ...answer, body: { ...answer.body, error_msg: NOT_NOW } };
}

const NOT_NOW = 'the service cannot answer now: try again after Retry-After seconds';

/**
 * Explains a parameter that is missing, or that the call does not take, by the nearest name: in `detail`, because the interface
 * fixes the messages (7.2, 7.4).
 */
function withNearNames(answer: ErrorAnswer, unused: Unused | undefined): ErrorAnswer {
  const { errors } = answer.body;
  if (unused === undefined || errors === undefined) return answer;
  const explained = errors.map((entry) => {
    const detail = entry.detail ?? nearNameOf(entry, unused);
    return detail === undefined ? entry : { ...entry, detail };
  });
  return { ...answer, body: { ...answer.body, errors: explained } };
}

function nearNameOf({ type, field, resource }: ErrorEntry, { names }: Unused): string | undefined {
  const places = field === undefined ? [resource] : [field, `${resource}.${field}`];
  const other = type === 'invalid' ? names.find(({ name }) => name === field)?.nearest : undefined;
  if (other !== undefined) return `the nearest name of this call is ${other}`;
  if (type !== 'missing_field' && type !== 'missing') return undefined;
  const sent = names.find(({ nearest }) => nearest !== undefined && places.includes(nearest))?.name;
  return sent === undefined ? undefined : `${sent} was sent, which this call does not take`;
}

const NO_PATH = 'GET /docs shows every call with its path';
/** What people see who follow a wrong link in a browser. */
const NO_PAGE = plainPage(
  'No such page',
  html`<main>
    <h1>There is no such page here</h1>
    <p>The address may be incomplete. <a href="/docs">The reference</a> shows every call with its path.</p>
  </main>`,
).text;

function isNoPath(error: unknown): boolean {
  return error instanceof HttpException && error.getStatus() === 404;
}

const TYPES = 'send parameters as application/json or as application/x-www-form-urlencoded';

/** Answers the refusals of Nest and Fastify (such as an unknown path) in our own form. */
function answerOf(error: unknown): ErrorAnswer {
  if (isNoPath(error)) {
    return withDetail(plain(404, 'find_failed', 'no such path'), NO_PATH);
  }
  const status = statusOf(error);
  if (status === 415) return plain(415, 'validation_failed', TYPES);
  return status >= 400 && status < 500 ? plain(status, 'validation_failed', (error as Error).message) : answerTo(error);
}

function statusOf(error: unknown): number {
  if (error instanceof HttpException) return error.getStatus();
  return error instanceof Error && 'statusCode' in error ? Number(error.statusCode) : 500;
}
