import { Controller, Param } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { Writer } from '#eventsourcing';
import { AllowFor, type Call, Describe, PutCall, success, TheCall } from '#http';
import { REGION_SET } from './region.answer.js';
import { SetRegion } from './region.commands.js';
import { withMissingOfRegion } from './region.required.js';
import { REGION_INPUT, readRegion } from './region.schema.js';

/** Regions, for operators (ruling G3). */
@AllowFor('operator')
@Controller('operators/regions')
export class RegionAdminController {
  constructor(
    private readonly writer: Writer,
    private readonly commands: CommandBus,
  ) {}

  @Describe({
    summary: 'Creates or changes a region.',
    parameters: REGION_INPUT,
    answer: success({ region: REGION_SET }),
    example: { name: 'Lisbon', time_zone: 'Europe/Lisbon', latitude: 38.72, longitude: -9.14, radius: 30 },
  })
  @PutCall(':slug')
  async put(@TheCall() call: Call, @Param('slug') id: string): Promise<object> {
    const { slug, changes } = await this.#read({ ...call.parameters, slug: id });
    const command = new SetRegion(slug, changes, call.command);
    const { row, position } = await this.commands.execute(command);
    call.position = position;
    return { status: 'success', region: row };
  }

  /** @throws ValidationFailed with all that is wrong or missing */
  async #read(parameters: Call['parameters']): Promise<ReturnType<typeof readRegion>> {
    try {
      return readRegion(parameters);
    } catch (error) {
      return withMissingOfRegion(this.writer, parameters, error);
    }
  }
}
