import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { everything, type Listed, type Paging, Reader } from '#eventsourcing';
import { notFound, type Position } from '#kernel';
import type { Region } from './region.events.js';
import { regionsView } from './region.view.js';
import { Regions } from './regions.js';

/** One region, active or not, by its slug. */
export class GetRegion extends Query<Region> {
  constructor(
    readonly id: string,
    readonly since: Position,
  ) {
    super();
  }
}

@QueryHandler(GetRegion)
export class GetRegionHandler implements IQueryHandler<GetRegion> {
  constructor(
    private readonly reader: Reader,
    private readonly regions: Regions,
  ) {}

  async execute({ id, since }: GetRegion): Promise<Region> {
    await this.reader.until([regionsView], since);
    const region = await this.regions.find(id);
    if (region === undefined) throw notFound('no region has this id: GET /api/v1/regions lists them');
    return region;
  }
}

/** Regions, sorted by slug: they have no date to put the newest first (ruling A10). */
export class ListRegions extends Query<Listed<Region>> {
  constructor(
    readonly paging: Paging,
    readonly since: Position,
  ) {
    super();
  }
}

@QueryHandler(ListRegions)
export class ListRegionsHandler implements IQueryHandler<ListRegions> {
  constructor(private readonly reader: Reader) {}

  execute(asked: ListRegions): Promise<Listed<Region>> {
    return this.reader.list(regionsView, everything, asked, []);
  }
}
