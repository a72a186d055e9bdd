import { Module, type DynamicModule } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { CqrsModule } from '@nestjs/cqrs';
import { AuditingModule } from '#auditing/module';
import { CatalogueModule } from '#catalogue/module';
import { CatalogueDetails, DealItems, DealPages, Deals, FulfilledDeals, RegionFinder, Regions } from '#catalogue';
import { Eraser } from '#erasure';
import { ErasureModule } from '#erasure/module';
import { FulfilledLinks } from '#engagement';
import { EngagementModule } from '#engagement/module';
import {
  Clock,
  Freshness,
  Keyring,
  MovableClock,
  Numbers,
  PersonalData,
  Randomness,
  Reader,
  Time,
  Vault,
  ViewChanges,
  WholeLog,
  WorkBook,
  Writer,
} from '#eventsourcing';
import { AnswerForm, IdempotencyGuard, Keeping, PositionGuard, Positions, PublicUrl, UserTokenGuard } from '#http';
import { LookupModule } from '#lookup/module';
import { Mailer } from '#mailing';
import { MailingModule } from '#mailing/module';
import { Exposition, MetricsHistory } from '#metrics';
import {
  ClockListeners,
  ComparedViews,
  OperatedKeys,
  OperatedProjections,
  OperationsSettings,
  OperatorTokenUses,
} from '#operations';
import { OperationsModule } from '#operations/module';
import { KeyUses } from '#partners';
import { PartnersModule } from '#partners/module';
import { PeopleSettings } from '#people';
import { PeopleModule } from '#people/module';
import { Charging, CouponItems, DealDetails, PurchaseItems, PurchasingSettings, Tries } from '#purchasing';
import { PurchasingModule } from '#purchasing/module';
import { Verification } from './audit/verification.js';
import { VerifyController } from './audit/verify.controller.js';
import { BackupController } from './backup/backup.controller.js';
import { CopiedParts } from './backup/copied-parts.js';
import { OrderedBackups } from './backup/ordered-backups.js';
import { BackupStateController } from './backup/state.controller.js';
import { HealthController } from './health/health.controller.js';
import { ServiceHealth } from './health/service-health.js';
import { MetricsController } from './metrics/metrics.controller.js';
import { expositionOf } from './metrics/sources.js';
import { MetricsHistoryController } from './metrics/history.controller.js';
import { DemoPicturesController } from './first-start/demo-pictures.controller.js';
import { OpenApiController } from './openapi/openapi.controller.js';
import { RootController } from './pages/root.controller.js';
import { views } from './registry.js';
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
    const { engine } = service;
    const { writer, reader, changes, clock, keyring, time } = engine;
    const dealItems = new DealItems(reader, time, changes, service.deals, service.regions);
    const dealPages = new DealPages(reader, clock, time, changes, dealItems);
    const purchaseItems = new PurchaseItems(reader, keyring, time, changes, service.publicUrl);
    const couponItems = new CouponItems(reader, keyring, time, changes, service.publicUrl);
    service.metrics.remember(dealPages.caches, purchaseItems.caches, couponItems.caches);
    const shared = [
      { provide: Writer, useValue: writer },
      { provide: Reader, useValue: reader },
      { provide: WholeLog, useValue: engine.wholeLog },
      { provide: Numbers, useValue: engine.numbers },
      { provide: Keyring, useValue: keyring },
      { provide: Clock, useValue: clock },
      { provide: MovableClock, useValue: clock },
      { provide: Time, useValue: time },
      { provide: Randomness, useValue: engine.randomness },
      { provide: PersonalData, useValue: engine.personalData },
      { provide: Vault, useValue: engine.vault },
      { provide: ViewChanges, useValue: changes },
      { provide: Freshness, useValue: engine.freshness },
      { provide: Positions, useValue: engine.positions },
      { provide: Keeping, useValue: new Keeping(engine.records, clock, time) },
      { provide: PublicUrl, useValue: service.publicUrl },
      { provide: AnswerForm, useValue: service.answerForm },
      { provide: PeopleSettings, useValue: service.settings.people },
      { provide: PurchasingSettings, useValue: service.settings.purchasing },
      { provide: OperationsSettings, useValue: service.settings.operations },
      { provide: Charging, useValue: service.charging },
      { provide: Tries, useValue: service.tries },
      { provide: Mailer, useValue: service.mailer },
      { provide: KeyUses, useValue: service.keyUses },
      { provide: OperatorTokenUses, useValue: service.operatorTokenUses },
      { provide: Deals, useValue: service.deals },
      { provide: DealPages, useValue: dealPages },
      { provide: PurchaseItems, useValue: purchaseItems },
      { provide: CouponItems, useValue: couponItems },
      { provide: Regions, useValue: service.regions },
      { provide: RegionFinder, useValue: service.regionFinder },
      { provide: DealDetails, useValue: new CatalogueDetails(writer, service.regions) },
      { provide: FulfilledDeals, useValue: new FulfilledLinks(writer, reader, keyring) },
      { provide: ClockListeners, useValue: new ClockListeners(() => service.clockMoved()) },
      { provide: OperatedProjections, useValue: service.projections satisfies OperatedProjections },
      { provide: ComparedViews, useValue: new ComparedViews(views, engine.views, time) },
      { provide: WorkBook, useValue: service.work },
      { provide: OperatedKeys, useValue: service.keys satisfies OperatedKeys },
      { provide: Eraser, useValue: service.erasing.eraser },
      { provide: CopiedParts, useValue: service.copied },
      { provide: OrderedBackups, useValue: service.backups },
      { provide: Verification, useValue: service.audits.verification },
      { provide: Exposition, useValue: expositionOf(service) },
      { provide: MetricsHistory, useValue: service.metrics.history },
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
        LookupModule,
        ErasureModule,
      ],
      controllers: [
        HealthController,
        VerifyController,
        BackupController,
        BackupStateController,
        MetricsController,
        MetricsHistoryController,
        OpenApiController,
        RootController,
        DemoPicturesController,
      ],
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
