import { Module } from '@nestjs/common';
import { ClockController } from './clock/clock.controller.js';
import { ImportController } from './import/import.controller.js';
import { IssueTokenHandler, RevokeTokenHandler } from './operator-token/operator-token.commands.js';
import { ListTokensHandler } from './operator-token/operator-token.queries.js';
import { OperatorsController } from './operator-token/operators.controller.js';
import { ProjectionsController } from './projections/projections.controller.js';
import { RotateKeyHandler } from './service-key/service-key.commands.js';
import { ServiceKeysController } from './service-key/service-keys.controller.js';
import { SettingsController } from './settings/settings.controller.js';

@Module({
  controllers: [
    OperatorsController,
    ClockController,
    ImportController,
    ProjectionsController,
    ServiceKeysController,
    SettingsController,
  ],
  providers: [IssueTokenHandler, RevokeTokenHandler, ListTokensHandler, RotateKeyHandler],
})
export class OperationsModule {}
