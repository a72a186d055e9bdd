import { Module, type DynamicModule } from '@nestjs/common';
import { Exposition } from '#metrics';
import { HealthController } from './health/health.controller.js';
import { ServiceHealth } from './health/service-health.js';
import { MetricsController } from './metrics/metrics.controller.js';
import { expositionOf } from './metrics/sources.js';
import type { Service } from './service.js';

/** A worker answers only health checks and metrics. */
@Module({})
export class WorkerModule {
  static of(service: Service): DynamicModule {
    return {
      module: WorkerModule,
      controllers: [HealthController, MetricsController],
      providers: [
        { provide: ServiceHealth, useValue: new ServiceHealth(service) },
        { provide: Exposition, useValue: expositionOf(service) },
      ],
    };
  }
}
