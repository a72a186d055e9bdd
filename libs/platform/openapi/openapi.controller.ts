import { Controller, Get, Res } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import type { FastifyReply } from 'fastify';
import { Engine } from '#eventsourcing';
import { AllowFor, Describe, DescribeUnder, plainPage, plainPageHeaders } from '#http';
import { version } from '../version.js';
import { openApiDocument } from './document.js';
import { referencePage } from './reference/reference.page.js';
import type { Document } from './reference/shapes.js';
import { routesOf } from './routes.js';

/** The document and its page, for where the service is reached. */
interface Made {
  readonly publicUrl: string;
  readonly text: string;
  readonly page: string;
}

/** The reference (ruling G11): the document, and a page that shows it without the internet. No key. */
@AllowFor('public')
@DescribeUnder('Service')
@Controller()
export class OpenApiController {
  #reference: Made | undefined;

  constructor(
    private readonly engine: Engine,
    private readonly modules: ModulesContainer,
  ) {}

  @Describe({ summary: 'This document.', answer: 'application/json' })
  @Get('openapi.json')
  document(@Res() reply: FastifyReply): void {
    void reply.type('application/json; charset=utf-8').send(this.#made().text);
  }

  @Describe({
    summary: 'A page that shows this document: every call, with its parameters, answers and errors.',
    answer: 'text/html',
  })
  @Get('docs')
  page(@Res() reply: FastifyReply): void {
    void reply.headers(plainPageHeaders()).send(this.#made().page);
  }

  /** Where the service is reached is known only once it listens. */
  #made(): Made {
    const { publicUrl } = this.engine.site;
    if (this.#reference?.publicUrl !== publicUrl) {
      const document = openApiDocument(routesOf(this.modules), { version, publicUrl });
      const text = JSON.stringify(document);
      const page = plainPage('Holdfast: reference', referencePage(JSON.parse(text) as Document)).text;
      this.#reference = { publicUrl, text, page };
    }
    return this.#reference;
  }
}
