import { Controller, Get, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { AllowFor, Describe, DescribeUnder } from '#http';
import { Exposition, METRICS_TYPE } from '#metrics';

/** The figures of this process for Prometheus (ruling G11.1). */
@AllowFor('watcher')
@DescribeUnder('Service')
@Controller('metrics')
export class MetricsController {
  constructor(private readonly exposition: Exposition) {}

  @Describe({
    summary:
      'The figures of this process for Prometheus: for operators and auditors, and with `ADMIN_HOST` at that address for everybody. docs/metrics.md lists them.',
    answer: 'text/plain',
  })
  @Get('')
  async show(@Res({ passthrough: true }) reply: FastifyReply): Promise<string> {
    void reply.type(METRICS_TYPE);
    return this.exposition.text();
  }
}
