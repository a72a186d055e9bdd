import { Module } from '@nestjs/common';
import { FindBatchHandler, ListBatchesHandler } from './batch/batch.queries.js';
import { BatchesController } from './batch/batches.controller.js';
import { CancelBatchHandler } from './batch/cancel-batch.commands.js';
import { CreateBatchHandler } from './batch/create-batch.commands.js';

@Module({
  controllers: [BatchesController],
  providers: [CreateBatchHandler, CancelBatchHandler, FindBatchHandler, ListBatchesHandler],
})
export class MailingModule {}
