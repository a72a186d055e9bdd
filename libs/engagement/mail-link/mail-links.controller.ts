import { Controller, Get, Param, Req, Res } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Keyring } from '#eventsourcing';
import {
  AllowFor,
  type Answer,
  Describe,
  DescribeUnder,
  plainPage,
  plainPageHeaders,
  PostCall,
  wantsJson,
} from '#http';
import { notFound } from '#kernel';
import { FollowMailLink, type FollowedMailLink } from './follow-mail-link.commands.js';
import { readSigned, type MailLink, type MailLinkKind } from './mail-link.js';
import {
  askToConfirmPage,
  askToEndPage,
  confirmedPage,
  endedPage,
  type LinkPage,
  outdatedPage,
  unknownPage,
} from './mail-link.page.js';
import { FindLinkedMails, type LinkedMails } from './mail-link.queries.js';

const PAGE = { answer: 'text/html', otherwise: { 404: 'text/html' } } as const satisfies {
  readonly answer: Answer;
  readonly otherwise: Readonly<Record<number, Answer>>;
};

const CONFIRMS: readonly MailLinkKind[] = ['confirmation'];
const ENDS: readonly MailLinkKind[] = ['end-of-subscription', 'end-of-batch-mails'];

/**
 * What the links in mails open, for people without a key (rulings E5, H3, I14). Opening a link changes nothing: programs that
 * look for bad links open every link of a mail. The button on its page confirms the subscription, or ends the mails; the POST of
 * a mail program ends them too (RFC 8058). No call reads a body.
 */
@AllowFor('public')
@DescribeUnder('Subscriptions')
@Controller('m')
export class MailLinksController {
  constructor(
    private readonly keyring: Keyring,
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Describe({
    summary:
      'Asks a user whether they confirm their subscription, at the signed address in the mail that asks for it. It changes nothing.',
    ...PAGE,
  })
  @Get('confirm/:signed')
  async askToConfirm(
    @Param('signed') signed: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const page = (mails: LinkedMails): LinkPage =>
      (mails.isWanted && !mails.isConfirmed ? askToConfirmPage : confirmedPage)(mails);
    await this.#answer(signed, CONFIRMS, request, reply, false, page);
  }

  @Describe({
    summary: 'Confirms a subscription, as the button on the page of the GET does; any body is ignored.',
    ...PAGE,
  })
  @PostCall('confirm/:signed')
  async confirm(
    @Param('signed') signed: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    await this.#answer(signed, CONFIRMS, request, reply, true, confirmedPage);
  }

  @Describe({
    summary: 'Asks a user whether they want no more of the mails that have this signed address. It changes nothing.',
    ...PAGE,
  })
  @Get('unsubscribe/:signed')
  async askToEnd(
    @Param('signed') signed: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const page = (mails: LinkedMails): LinkPage => (mails.isWanted ? askToEndPage : endedPage)(mails);
    await this.#answer(signed, ENDS, request, reply, false, page);
  }

  @Describe({
    summary:
      'Ends the mails that have this signed address: the subscription becomes inactive, or the partner’s batch mails stop for this user. Mail programs send it with one click (RFC 8058); any body is ignored.',
    ...PAGE,
  })
  @PostCall('unsubscribe/:signed')
  async unsubscribe(
    @Param('signed') signed: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    await this.#answer(signed, ENDS, request, reply, true, endedPage);
  }

  /** @param acts whether to do what the link is for */
  async #answer(
    signed: string,
    kinds: readonly MailLinkKind[],
    { call, headers }: FastifyRequest,
    reply: FastifyReply,
    acts: boolean,
    page: (mails: LinkedMails) => LinkPage,
  ): Promise<void> {
    const link = readSigned(this.keyring, signed);
    const found =
      link !== undefined && kinds.includes(link.kind)
        ? await this.queries.execute(new FindLinkedMails(link))
        : undefined;
    if (link === undefined || found === undefined) {
      if (wantsJson(headers.accept)) throw notFound('this link does not work: copy the whole address from the mail');
      send(reply, 404, unknownPage());
      return;
    }
    const mails = acts ? { ...found, ...(await this.#follow(link, call)) } : found;
    if (mails.isOutdated) {
      if (wantsJson(headers.accept)) throw notFound('this link is for another e-mail address: subscribe again');
      send(reply, 404, outdatedPage(mails));
      return;
    }
    send(reply, 200, page(mails));
  }

  async #follow(link: MailLink, call: FastifyRequest['call']): Promise<FollowedMailLink> {
    const followed = await this.commands.execute(new FollowMailLink(link, call.command));
    call.position = followed.position;
    return followed;
  }
}

/** The address opens the page for everybody who has it: nobody stores a copy, lists it or learns it from the browser. */
const PRIVATE = { 'cache-control': 'no-store', 'x-robots-tag': 'noindex, nofollow' };

function send(reply: FastifyReply, status: number, { title, content }: LinkPage): void {
  void reply
    .status(status)
    .headers({ ...plainPageHeaders('data:', "'self'"), ...PRIVATE })
    .send(plainPage(title, content).text);
}
