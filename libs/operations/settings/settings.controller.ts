import { Controller, Get } from '@nestjs/common';
import { z } from 'zod';
import { AllowFor, answerList, type Call, Describe, listOf, PAGING, pagingOf, TheCall } from '#http';
import { OperationsSettings } from './operations-settings.js';

const SETTING = z
  .strictObject({
    name: z.string().describe('The environment variable.'),
    means: z.string().describe('What it is for.'),
    from: z.enum(['default', 'environment']).describe('Where the process has it from.'),
    value: z
      .string()
      .nullable()
      .describe(
        'Null: it is set, and not shown, because it may be a secret or name somebody. By default: what holds without it.',
      ),
  })
  .meta({ id: 'Setting', description: 'A setting of the process, without secrets.' });

/** The settings of the process that answers (rule G13.6). */
@AllowFor('operator')
@Controller('operators/settings')
export class SettingsController {
  constructor(private readonly settings: OperationsSettings) {}

  @Describe({
    summary:
      'Lists the settings of the process that answers: what each is for, where it comes from, and its value, without secrets.',
    parameters: z.object(PAGING),
    answer: listOf('settings', SETTING),
  })
  @Get('')
  list(@TheCall() call: Call): object {
    const { count, page, perPage } = pagingOf(call.parameters, 'setting');
    const { all } = this.settings;
    const shown = all.slice((page - 1) * perPage, page * perPage).map((setting) => ({ ...setting }));
    return answerList(count ? all.length : shown, (settings) => ({ settings }));
  }
}
