import { Controller, Get, Param, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { AllowFor, Describe, DescribeUnder, Refused } from '#http';
import { demoPicture } from './demo-pictures.js';

/** Pictures of the demo's deals (ruling G9). They change only with a build, so browsers may cache them for a day. */
@AllowFor('public')
@DescribeUnder('Service')
@Controller('images')
export class DemoPicturesController {
  @Describe({ summary: 'Returns a picture of a demo deal.', answer: 'image/svg+xml' })
  @Get(':name')
  picture(@Param('name') name: string, @Res() reply: FastifyReply): void {
    const picture = demoPicture(name);
    if (picture === undefined) throw new Refused(404, 'find_failed', 'no such picture');
    void reply
      .headers({
        'cache-control': 'public, max-age=86400',
        'content-security-policy': "default-src 'none'",
        'x-content-type-options': 'nosniff',
      })
      .type('image/svg+xml')
      .send(picture);
  }
}
