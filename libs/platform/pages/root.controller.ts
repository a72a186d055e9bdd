import { Controller, Get, Headers, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { Engine } from '#eventsourcing';
import { AllowFor, Describe, DescribeUnder, html, plainPage, plainPageHeaders, success, wantsJson } from '#http';

const LINKS = success({ name: z.literal('Holdfast'), docs: z.url(), openapi: z.url(), live: z.url(), ready: z.url() });

/** The root address: links to the API reference and the health checks. */
@AllowFor('public')
@DescribeUnder('Service')
@Controller()
export class RootController {
  constructor(private readonly engine: Engine) {}

  @Describe({
    summary: 'Where the reference and the health checks are; JSON for who accepts it.',
    answer: ['text/html', LINKS],
  })
  @Get('')
  root(@Headers('accept') accepted: string | undefined, @Res() reply: FastifyReply): void {
    if (!wantsJson(accepted)) {
      void reply.headers(plainPageHeaders()).send(PAGE.text);
      return;
    }
    const { publicUrl } = this.engine.site;
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
    <p>This is a service that sells limited deals over REST. Programs use it; here is what people need of it.</p>
    <ul>
      <li><a href="docs">The reference</a>: every call, with its parameters, answers and errors</li>
      <li><a href="openapi.json">openapi.json</a>: the same for programs</li>
      <li><a href="health/ready">Whether it is ready</a>, and <a href="health/live">whether it lives</a></li>
    </ul>
    <p>README.md, in the folder that it was started from, leads from the first start to the first purchase.</p>
  </main>`,
);
