import { Controller, Get, Req, Res } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AllowFor, Describe, DescribeUnder, plainPage, plainPageHeaders, PublicUrl, StaticAnswer } from '#http';
import { BUILD } from '../build.js';
import { openApiDocument } from './document.js';
import { referencePage } from './reference/reference.page.js';
import type { Document } from './reference/shapes.js';
import { routesOf } from './routes.js';

/** The document and its page, for one address of the service. */
interface Made {
  readonly publicUrl: string;
  readonly text: StaticAnswer;
  readonly page: StaticAnswer;
}

/** The API reference (ruling G11): the document, and a page that shows it without the internet. Neither needs a key. */
@AllowFor('public')
@DescribeUnder('Service')
@Controller()
export class OpenApiController {
  #reference: Made | undefined;

  constructor(
    private readonly publicUrl: PublicUrl,
    private readonly modules: ModulesContainer,
  ) {}

  @Describe({ summary: 'Returns this document.', answer: 'application/json', tagged: true })
  @Get('openapi.json')
  document(@Req() request: FastifyRequest, @Res() reply: FastifyReply): void {
    this.#made().text.send(request, reply);
  }

  @Describe({
    summary: 'Shows this document as a page: every call, with its parameters, answers and errors.',
    answer: 'text/html',
    tagged: true,
  })
  @Get('docs')
  page(@Req() request: FastifyRequest, @Res() reply: FastifyReply): void {
    this.#made().page.send(request, reply);
  }

  /** Made at the first request: the service knows its address only once it listens. */
  #made(): Made {
    const publicUrl = this.publicUrl.href;
    if (this.#reference?.publicUrl !== publicUrl) {
      const document = openApiDocument(routesOf(this.modules), { build: BUILD, publicUrl });
      const text = JSON.stringify(document);
      const page = plainPage('Holdfast: reference', referencePage(JSON.parse(text) as Document)).text;
      this.#reference = {
        publicUrl,
        text: new StaticAnswer(text, { 'content-type': 'application/json; charset=utf-8' }),
        page: new StaticAnswer(page, plainPageHeaders()),
      };
    }
    return this.#reference;
  }
}
