import { Module, type DynamicModule } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { CqrsModule } from '@nestjs/cqrs';
import { AuditingModule } from '#auditing/module';
import { CatalogueModule } from '#catalogue/module';
import { CatalogueDetails, DealItems, DealPages, Deals, FulfilledDeals, RegionFinder, Regions } from '#catalogue';
import { FulfilledLinks } from '#engagement';
import { EngagementModule } from '#engagement/module';
import { Engine } from '#eventsourcing';
import { PositionGuard, IdempotencyGuard, PublicUrl, UserTokenGuard } from '#http';
import { Mailer } from '#mailing';
import { MailingModule } from '#mailing/module';
import { ClockListeners, OperatedProjections, OperationsSettings } from '#operations';
import { OperationsModule } from '#operations/module';
import { KeyUses } from '#partners';
import { PartnersModule } from '#partners/module';
import { PeopleSettings } from '#people';
import { PeopleModule } from '#people/module';
import { Charging, CouponItems, DealDetails, PurchaseItems, PurchasingSettings, Tries } from '#purchasing';
import { PurchasingModule } from '#purchasing/module';
import { HealthController } from './health/health.controller.js';
import { ServiceHealth } from './health/service-health.js';
import { DemoPicturesController } from './first-start/demo-pictures.controller.js';
import { OpenApiController } from './openapi/openapi.controller.js';
import { RootController } from './pages/root.controller.js';
import type { Service } from './service.js';

/** Publishes nothing: commands and queries carry secrets. */
const NOBODY = { publish: () => undefined };

/** A global module with the providers that every context may inject. */
@Module({})
class ServiceModule {}

/** The service that answers calls. */
@Module({})
export class AppModule {
  static of(service: Service): DynamicModule {
    const dealItems = new DealItems(service.engine, service.deals, service.regions);
    const shared = [
      { provide: Engine, useValue: service.engine },
      { provide: PublicUrl, useValue: service.publicUrl },
      { provide: PeopleSettings, useValue: service.settings.people },
      { provide: PurchasingSettings, useValue: service.settings.purchasing },
      { provide: OperationsSettings, useValue: service.settings.operations },
      { provide: Charging, useValue: service.charging },
      { provide: Tries, useValue: service.tries },
      { provide: Mailer, useValue: service.mailer },
      { provide: KeyUses, useValue: service.keyUses },
      { provide: Deals, useValue: service.deals },
      { provide: DealPages, useValue: new DealPages(service.engine, dealItems) },
      { provide: PurchaseItems, useValue: new PurchaseItems(service.engine, service.publicUrl) },
      { provide: CouponItems, useValue: new CouponItems(service.engine, service.publicUrl) },
      { provide: Regions, useValue: service.regions },
      { provide: RegionFinder, useValue: service.regionFinder },
      { provide: DealDetails, useValue: new CatalogueDetails(service.engine, service.regions) },
      { provide: FulfilledDeals, useValue: new FulfilledLinks(service.engine) },
      { provide: ClockListeners, useValue: new ClockListeners(() => service.clockMoved()) },
      { provide: OperatedProjections, useValue: service.projections satisfies OperatedProjections },
      { provide: ServiceHealth, useValue: new ServiceHealth(service) },
    ];
    return {
      module: AppModule,
      imports: [
        { module: ServiceModule, global: true, providers: shared, exports: shared.map(({ provide }) => provide) },
        CqrsModule.forRoot({ commandPublisher: NOBODY, queryPublisher: NOBODY }),
        CatalogueModule,
        PurchasingModule,
        PeopleModule,
        EngagementModule,
        MailingModule,
        PartnersModule,
        OperationsModule,
        AuditingModule,
      ],
      controllers: [HealthController, OpenApiController, RootController, DemoPicturesController],
      // After authentication, in this order: first wait for the caller's position, then keep a user to what is theirs, then look
      // for an earlier answer.
      providers: [
        { provide: APP_GUARD, useClass: PositionGuard },
        { provide: APP_GUARD, useClass: UserTokenGuard },
        { provide: APP_GUARD, useClass: IdempotencyGuard },
      ],
    };
  }
}
