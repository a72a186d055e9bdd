import { Module } from '@nestjs/common';
import { ClockController } from './clock/clock.controller.js';
import { ImportController } from './import/import.controller.js';
import { IssueTokenHandler, RevokeTokenHandler } from './operator/operator.commands.js';
import { ListTokensHandler } from './operator/operator.queries.js';
import { OperatorsController } from './operator/operators.controller.js';
import { ProjectionsController } from './projections/projections.controller.js';

@Module({
  controllers: [OperatorsController, ClockController, ImportController, ProjectionsController],
  providers: [IssueTokenHandler, RevokeTokenHandler, ListTokensHandler],
})
export class OperationsModule {}
