import { Controller, Get, Headers, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import {
  AllowFor,
  Describe,
  DescribeUnder,
  html,
  plainPage,
  plainPageHeaders,
  PublicUrl,
  success,
  wantsJson,
} from '#http';

const LINKS = success({ name: z.literal('Holdfast'), docs: z.url(), openapi: z.url(), live: z.url(), ready: z.url() });

/** The root address: links to the API reference and the health checks. */
@AllowFor('public')
@DescribeUnder('Service')
@Controller()
export class RootController {
  constructor(private readonly publicUrl: PublicUrl) {}

  @Describe({
    summary: 'Links to the API reference and the health checks, as a page or as JSON.',
    answer: ['text/html', LINKS],
  })
  @Get('')
  root(@Headers('accept') accepted: string | undefined, @Res() reply: FastifyReply): void {
    if (!wantsJson(accepted)) {
      void reply.headers(plainPageHeaders()).send(PAGE.text);
      return;
    }
    const publicUrl = this.publicUrl.href;
    void reply.send({
      status: 'success',
      name: 'Holdfast',
      docs: `${publicUrl}/docs`,
      openapi: `${publicUrl}/openapi.json`,
      live: `${publicUrl}/health/live`,
      ready: `${publicUrl}/health/ready`,
    });
  }
}

const PAGE = plainPage(
  'Holdfast',
  html`<main>
    <h1>Holdfast</h1>
    <p>This is a service that sells limited deals over REST. It is for programs. These links are for people:</p>
    <ul>
      <li><a href="docs">The reference</a>: every call, with its parameters, answers and errors</li>
      <li><a href="openapi.json">openapi.json</a>: the same for programs</li>
      <li>Health: <a href="health/ready">is it ready</a>, and <a href="health/live">does it live</a></li>
    </ul>
    <p>README.md in the service’s folder leads from the first start to the first purchase.</p>
  </main>`,
);
