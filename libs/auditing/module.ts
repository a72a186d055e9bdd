import { Module } from '@nestjs/common';
import { AsOfController } from './as-of/as-of.controller.js';
import { FindThenHandler } from './as-of/as-of.queries.js';
import { CertificateController } from './certificate/certificate.controller.js';
import { EventsOfDealHandler } from './certificate/certificate.queries.js';
import { HistoryController } from './history/history.controller.js';
import { PurchaseHistoryHandler } from './history/purchase-history.queries.js';
import { LedgerController } from './ledger/ledger.controller.js';
import { LedgerOfDealHandler } from './ledger/ledger.queries.js';
import { AuditedEventsController } from './log/audited-events.controller.js';
import { EventsOfLogHandler, EventsOfStreamHandler } from './log/audited-events.queries.js';
import { PersonReadsController } from './reads/person-reads.controller.js';
import { ReadsOfPersonHandler } from './reads/person-reads.queries.js';

@Module({
  controllers: [
    HistoryController,
    AuditedEventsController,
    LedgerController,
    PersonReadsController,
    AsOfController,
    CertificateController,
  ],
  providers: [
    PurchaseHistoryHandler,
    EventsOfLogHandler,
    EventsOfStreamHandler,
    LedgerOfDealHandler,
    ReadsOfPersonHandler,
    FindThenHandler,
    EventsOfDealHandler,
  ],
})
export class AuditingModule {}
