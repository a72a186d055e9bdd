import { Module } from '@nestjs/common';
import { HistoryController } from './history/history.controller.js';
import { PurchaseHistoryHandler } from './history/purchase-history.queries.js';

@Module({ controllers: [HistoryController], providers: [PurchaseHistoryHandler] })
export class AuditingModule {}
