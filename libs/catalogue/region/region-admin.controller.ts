import { Controller, Param } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { Done } from '#eventsourcing';
import { AllowFor, PutCall, TheCall, type Call } from '#http';
import { SetRegion } from './region.commands.js';
import type { Region } from './region.events.js';
import { readRegion } from './region.schema.js';

/** Regions, for operators (ruling G3). */
@AllowFor('operator')
@Controller('operators/regions')
export class RegionAdminController {
  constructor(private readonly commands: CommandBus) {}

  @PutCall(':slug')
  async put(@TheCall() call: Call, @Param('slug') id: string): Promise<object> {
    const { slug, changes } = readRegion({ ...call.parameters, slug: id });
    const command = new SetRegion(slug, changes, call.command);
    const { row, position } = await this.commands.execute<SetRegion, Done<Region>>(command);
    call.position = position;
    return { status: 'success', region: row };
  }
}
