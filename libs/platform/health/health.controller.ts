import { Controller, Get, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { AllowFor } from '#http';
import { ServiceHealth } from './service-health.js';

/** For whoever watches over the service: no key (ruling G11). */
@AllowFor('public')
@Controller('health')
export class HealthController {
  constructor(private readonly health: ServiceHealth) {}

  @Get('live')
  live(): object {
    return { status: 'success' };
  }

  @Get('ready')
  async ready(@Res({ passthrough: true }) reply: FastifyReply): Promise<object> {
    const { ready, ...details } = await this.health.check();
    if (!ready) void reply.status(503).header('retry-after', '1');
    return { status: ready ? 'success' : 'error', ...details };
  }
}
