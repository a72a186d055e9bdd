import type { IncomingMessage } from 'node:http';
import { NestFactory } from '@nestjs/core';
import { CommandBus } from '@nestjs/cqrs';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { Logger } from 'pino';
import { AnswerErrors, plainPath, prepareServer, RateLimit, requestIds, type Proxies, type RateBounds } from '#http';
import { AppModule } from './app.module.js';
import { WorkerModule } from './worker.module.js';
import type { Certificate } from './certificate.js';
import type { QueueBoard } from './queues/board.js';
import type { Service } from './service.js';

/** How a service is reached. */
export interface Reach {
  /** With it the service itself ends TLS. */
  readonly certificate?: Certificate | undefined;
  readonly proxies: Proxies;
  readonly rateLimit: RateBounds | undefined;
}

/** Builds the HTTP side of a service; the caller lets it listen. */
export async function createHttpApp(service: Service, logger: Logger, reach: Reach): Promise<NestFastifyApplication> {
  const { certificate, proxies, rateLimit } = reach;
  const adapter = new FastifyAdapter({
    ...(certificate === undefined ? {} : { https: certificate }),
    trustProxy: (address: string) => proxies.trusts(address),
    rewriteUrl: (request: IncomingMessage) => plainPath(request.url ?? '/'),
    genReqId: requestIds(),
    requestIdHeader: false,
    // An id of any length is one that is not known: only a request line that Node itself refuses is longer.
    // The query string is read with the body, where it can be refused.
    routerOptions: { maxParamLength: 20_000, querystringParser: () => ({}) },
  });
  const server = adapter.getInstance();
  prepareServer(server, service.engine, proxies);
  const limit = await RateLimit.of(server, rateLimit);
  if (service.queues.length > 0 && service.role !== 'worker') {
    const operator = (token: string): ReturnType<QueueBoard['operator']> => service.operatorTokens.find(token);
    const { mountQueueBoard } = await import('./queues/board.js');
    mountQueueBoard(server, { queues: service.queues, operator, limit });
  }
  const module = service.role === 'worker' ? WorkerModule.of(service) : AppModule.of(service, limit);
  // eslint-disable-next-line @typescript-eslint/no-unsafe-class-instance-assignment -- Nest's options are a class by accident
  const app = await NestFactory.create<NestFastifyApplication>(module, adapter, {
    logger: false,
    bodyParser: false,
    abortOnError: false,
  });
  app.useGlobalFilters(new AnswerErrors(logger));
  if (service.role !== 'worker') oneHandlerEach(app.get(CommandBus));
  await app.init();
  return app;
}

/** A command with two handlers stops the start: the bus would only warn. */
function oneHandlerEach(bus: CommandBus): void {
  const seen = new Set<string>();
  const bind = bus.bind.bind(bus);
  bus.bind = (handler, id): void => {
    if (seen.has(id)) throw new Error(`the command of ${handler.metatype?.name ?? 'a handler'} has two handlers`);
    seen.add(id);
    bind(handler, id);
  };
}
