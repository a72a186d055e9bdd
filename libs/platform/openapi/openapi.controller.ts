import { Controller, Get, Param, Res } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import type { FastifyReply } from 'fastify';
import { Engine } from '#eventsourcing';
import { AllowFor, Describe, DescribeUnder, Refused } from '#http';
import { version } from '../version.js';
import { docsFile, docsPage, type ServedFile } from './docs.files.js';
import { openApiDocument } from './document.js';
import { routesOf } from './routes.js';

/** Everything on the page is ours: a browser is told to load nothing from anywhere else, and to run no script inside a page. */
const POLICY = "default-src 'self'; img-src 'self' data:; style-src 'self' 'unsafe-inline'; frame-ancestors 'none'";

/** The reference (ruling G11): the document, and a page that shows it without the internet. No key. */
@AllowFor('public')
@DescribeUnder('Service')
@Controller()
export class OpenApiController {
  #document: { readonly publicUrl: string; readonly text: string } | undefined;

  constructor(
    private readonly engine: Engine,
    private readonly modules: ModulesContainer,
  ) {}

  @Describe({ summary: 'This document.', answer: 'application/json' })
  @Get('openapi.json')
  document(@Res() reply: FastifyReply): void {
    // Where the service is reached is known only once it listens.
    const { publicUrl } = this.engine.site;
    if (this.#document?.publicUrl !== publicUrl) {
      const document = openApiDocument(routesOf(this.modules), { version, publicUrl });
      this.#document = { publicUrl, text: JSON.stringify(document) };
    }
    void reply.type('application/json; charset=utf-8').send(this.#document.text);
  }

  @Describe({ summary: 'A page that shows this document.', answer: 'text/html' })
  @Get('docs')
  page(@Res() reply: FastifyReply): void {
    send(reply, docsPage);
  }

  @Describe({ summary: 'A file that the page asks for.', answer: '*/*' })
  @Get('docs/:file')
  file(@Param('file') name: string, @Res() reply: FastifyReply): void {
    const file = docsFile(name);
    if (file === undefined) throw new Refused(404, 'find_failed', 'no such path');
    send(reply, file);
  }
}

function send(reply: FastifyReply, { type, bytes }: ServedFile): void {
  void reply
    .headers({
      'content-security-policy': POLICY,
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
    })
    .type(type)
    .send(bytes);
}
