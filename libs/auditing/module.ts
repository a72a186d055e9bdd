import { Module } from '@nestjs/common';
import { HistoryController } from './history/history.controller.js';
import { PurchaseHistoryHandler } from './history/purchase-history.queries.js';
import { AuditedEventsController } from './log/audited-events.controller.js';
import { EventsOfLogHandler, EventsOfStreamHandler } from './log/audited-events.queries.js';

@Module({
  controllers: [HistoryController, AuditedEventsController],
  providers: [PurchaseHistoryHandler, EventsOfLogHandler, EventsOfStreamHandler],
})
export class AuditingModule {}
