import { Module, type DynamicModule } from '@nestjs/common';
import { HealthController } from './health/health.controller.js';
import { ServiceHealth } from './health/service-health.js';
import type { Service } from './service.js';

/** A worker answers only health checks. */
@Module({})
export class WorkerModule {
  static of(service: Service): DynamicModule {
    return {
      module: WorkerModule,
      controllers: [HealthController],
      providers: [{ provide: ServiceHealth, useValue: new ServiceHealth(service) }],
    };
  }
}
