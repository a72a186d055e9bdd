import { Controller, Get, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AllowFor, Describe, DescribeUnder, SUCCESS, type AnswerOf } from '#http';
import { BUILD } from '../build.js';
import { HEALTH } from './health.answer.js';
import { ServiceHealth } from './service-health.js';

/** Health checks for monitoring, without a key (ruling G11). */
@AllowFor('public')
@DescribeUnder('Service')
@Controller('health')
export class HealthController {
  constructor(private readonly health: ServiceHealth) {}

  @Describe({ summary: 'Tells whether the process lives.', answer: SUCCESS })
  @Get('live')
  live(): object {
    return { status: 'success' };
  }

  @Describe({
    summary:
      'Tells whether the service is ready, and operators and auditors the state of log and views, as it does everybody at the admin address.',
    answer: HEALTH,
    otherwise: { 503: HEALTH },
  })
  @AllowFor('monitor')
  @Get('ready')
  async ready(
    @Req() { call }: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<AnswerOf<typeof HEALTH>> {
    const { ready, ...details } = await this.health.check();
    if (!ready) void reply.status(503).header('retry-after', '1');
    const status = ready ? 'success' : 'error';
    const seesAll = call.caller.kind === 'operator' || call.at === 'admin';
    return seesAll ? { status, ...BUILD, ...details } : { status };
  }
}
