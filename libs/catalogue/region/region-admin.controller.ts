import { Controller, Param } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { IANAZone } from 'luxon';
import { z } from 'zod';
import type { Done } from '#eventsourcing';
import { AllowFor, boolean, float, PutCall, read, slug, text, TheCall, type Call } from '#http';
import { SetRegion } from './region.commands.js';
import type { Region } from './region.events.js';

const BODY = z.object({
  slug: slug(),
  name: text().optional(),
  time_zone: text()
    .refine((zone) => IANAZone.isValidZone(zone), { error: 'must be an IANA time zone such as America/New_York' })
    .optional(),
  active: boolean().optional(),
  latitude: float(-90, 90).nullable().optional(),
  longitude: float(-180, 180).nullable().optional(),
  radius: float(0, 12_500).nullable().optional(),
});

/** Regions, for operators (ruling G3). */
@AllowFor('operator')
@Controller('operators/regions')
export class RegionAdminController {
  constructor(private readonly commands: CommandBus) {}

  @PutCall(':slug')
  async put(@TheCall() call: Call, @Param('slug') id: string): Promise<object> {
    const { slug: itsSlug, ...changes } = read(BODY, { ...call.parameters, slug: id }, 'region');
    const command = new SetRegion(itsSlug, changes, call.command);
    const { row, position } = await this.commands.execute<SetRegion, Done<Region>>(command);
    call.position = position;
    return { status: 'success', region: row };
  }
}
