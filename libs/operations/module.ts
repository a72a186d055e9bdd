import { Module } from '@nestjs/common';
import { ClockController } from './clock/clock.controller.js';
import { ImportController } from './import/import.controller.js';
import { IssueTokenHandler, RevokeTokenHandler } from './operator-token/operator-token.commands.js';
import { ListTokensHandler } from './operator-token/operator-token.queries.js';
import { OperatorsController } from './operator-token/operators.controller.js';
import { OrderProjectionHandler } from './projections/projection-order.commands.js';
import { ProjectionsController } from './projections/projections.controller.js';
import { RotateKeyHandler } from './service-key/service-key.commands.js';
import { ServiceKeysController } from './service-key/service-keys.controller.js';
import { SettingsController } from './settings/settings.controller.js';
import { AbandonWorkHandler, RetryWorkHandler } from './work/work-order.commands.js';
import { WorkController } from './work/work.controller.js';

@Module({
  controllers: [
    OperatorsController,
    ClockController,
    ImportController,
    ProjectionsController,
    WorkController,
    ServiceKeysController,
    SettingsController,
  ],
  providers: [
    IssueTokenHandler,
    RevokeTokenHandler,
    ListTokensHandler,
    RotateKeyHandler,
    OrderProjectionHandler,
    RetryWorkHandler,
    AbandonWorkHandler,
  ],
})
export class OperationsModule {}
