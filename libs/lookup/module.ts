import { Module } from '@nestjs/common';
import { Clock, Keyring, PersonalData, Reader, Time, Writer } from '#eventsourcing';
import { BatchController } from './batch/batch.controller.js';
import { ExportAnswers } from './export/export-answers.js';
import { ExportController, OwnExportController } from './export/export.controller.js';
import { FindController } from './find/find.controller.js';
import { listController } from './list/list.controller.js';
import { LISTS } from './lists/index.js';
import { PersonController } from './person/person.controller.js';

/** One for all controllers: it bounds how many exports run at once. */
const EXPORT_ANSWERS = {
  provide: ExportAnswers,
  useFactory: (...parts: ConstructorParameters<typeof ExportAnswers>): ExportAnswers => new ExportAnswers(...parts),
  inject: [Writer, PersonalData, Reader, Keyring, Clock, Time],
};

// Paths without a parameter come first: `/operators/users` is a list.
@Module({
  controllers: [
    ...LISTS.map(listController),
    FindController,
    ExportController,
    OwnExportController,
    PersonController,
    BatchController,
  ],
  providers: [EXPORT_ANSWERS],
})
export class LookupModule {}
