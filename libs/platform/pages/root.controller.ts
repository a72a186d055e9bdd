import { Controller, Get, Headers, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import {
  AllowFor,
  type Call,
  Describe,
  DescribeUnder,
  html,
  type Html,
  plainPage,
  plainPageHeaders,
  PublicUrl,
  success,
  TheCall,
  wantsJson,
} from '#http';

const LINKS = success({
  name: z.literal('Holdfast'),
  console: z.url().nullable().describe('null beside `ADMIN_HOST`, where the console is at that address.'),
  docs: z.url(),
  openapi: z.url(),
  live: z.url(),
  ready: z.url(),
});

/** The root address: links to the console, the API reference and the health checks. */
@AllowFor('public')
@DescribeUnder('Service')
@Controller()
export class RootController {
  constructor(private readonly publicUrl: PublicUrl) {}

  @Describe({
    summary: 'Links to the console, the API reference and the health checks, as a page or as JSON.',
    answer: ['text/html', LINKS],
  })
  @Get('')
  root(@TheCall() { at }: Call, @Headers('accept') accepted: string | undefined, @Res() reply: FastifyReply): void {
    if (!wantsJson(accepted)) {
      void reply.headers(plainPageHeaders()).send(PAGES[at].text);
      return;
    }
    const publicUrl = this.publicUrl.href;
    void reply.send({
      status: 'success',
      name: 'Holdfast',
      console: at === 'only' ? `${publicUrl}/console` : null,
      docs: `${publicUrl}/docs`,
      openapi: `${publicUrl}/openapi.json`,
      live: `${publicUrl}/health/live`,
      ready: `${publicUrl}/health/ready`,
    });
  }
}

const CONSOLE = html`<li>
  <a href="console">Console</a>
  <p>For operators and auditors: what happens now, every deal and purchase, and what is wrong.</p>
</li>`;

const page = (forOperators: Html | null): Html =>
  plainPage(
    'Holdfast',
    html`<main>
      <h1>Holdfast</h1>
      <p class="lead">
        This service sells limited deals. Partners sell them over REST, operators run the service, and auditors see what
        happened to every purchase.
      </p>
      <ul class="cards">
        ${forOperators}
        <li>
          <a href="docs">Reference</a>
          <p>For whoever writes programs: every call, with its parameters, answers and errors.</p>
        </li>
        <li>
          <a href="health/ready">Health</a>
          <p>Whether the service is ready. <a href="health/live">Health of the process</a> says whether it lives.</p>
        </li>
        <li>
          <a href="openapi.json">openapi.json</a>
          <p>The reference for programs.</p>
        </li>
      </ul>
      <p class="soft">README.md in the service’s folder leads from the first start to the first purchase.</p>
    </main>`,
  );

/** Beside an admin address, the public one has no console. */
const PAGES: Readonly<Record<Call['at'], Html>> = { only: page(CONSOLE), admin: page(CONSOLE), public: page(null) };
