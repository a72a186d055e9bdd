import { Controller, Get, Inject, Param, Res } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import type { FastifyReply } from 'fastify';
import { DEAL, DEAL_V3 } from '#catalogue';
import { CARD_LINK } from '#engagement';
import { Keyring, PersonalData, Reader, Time, Writer } from '#eventsourcing';
import {
  AllowFor,
  AS_OF,
  type Call,
  Describe,
  ERASED,
  PublicUrl,
  read,
  sendJson,
  success,
  textOf,
  TheCall,
} from '#http';
import { recordRead } from '#lookup';
import { USER } from '#people';
import { DealDetails, PURCHASE_ANSWER, RESOLD_COUPON_ANSWER, RESOLD_PURCHASE, TILL_ANSWER } from '#purchasing';
import { AS_OF_PARAMETERS, AS_OF_DEAL, type AskedAsOf, asOfIn, type Shape } from './as-of.parameters.js';
import { ANSWERS_OF_THEN, type Resource, type ThenParts, UNKNOWN_THEN } from './answers.js';
import { FindThen } from './as-of.queries.js';
import { madeIn } from './made-then.js';

const OF_PURCHASE = asOfIn('v1', 'reseller');
const OF_COUPON = asOfIn('v1', 'reseller');
const THEN =
  'as of a time: with the value of `Holdfast-As-Of` of an answer, the bytes that its own GET had at that moment';

/** What a caller asks for. */
interface Asked {
  readonly as_of?: AskedAsOf | undefined;
  readonly shape?: Shape | undefined;
  readonly fields?: string | undefined;
}

/** What partners were answered, for auditors (ruling G7.2). */
@AllowFor('auditor')
@Controller('auditors')
export class AsOfController {
  readonly #parts: ThenParts;

  constructor(
    writer: Writer,
    reader: Reader,
    keyring: Keyring,
    personalData: PersonalData,
    details: DealDetails,
    @Inject(Time) time: Time,
    private readonly publicUrl: PublicUrl,
    private readonly queries: QueryBus,
  ) {
    this.#parts = { writer, reader, keyring, personalData, details, time };
  }

  @Describe({
    summary: `Shows a purchase as its partner saw it ${THEN}. The shape \`reseller\` is that of a resale. If it shows the address of a person’s coupon, the log notes who has seen it.`,
    parameters: OF_PURCHASE,
    answer: [PURCHASE_ANSWER, RESOLD_PURCHASE],
  })
  @Get('purchases/:id')
  purchase(
    @TheCall() call: Call,
    @Param('id') id: string,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Buffer> {
    return this.#show('purchases', id, call, reply, read(OF_PURCHASE, call.parameters, 'as_of'));
  }

  @Describe({
    summary: `Shows a coupon as its partner’s till saw it ${THEN}. The path names it by its id, in any case, or by its barcode. The shape \`reseller\` is that of a resold one.`,
    parameters: OF_COUPON,
    answer: [TILL_ANSWER, RESOLD_COUPON_ANSWER],
  })
  @Get('coupons/:id')
  coupon(
    @TheCall() call: Call,
    @Param('id') id: string,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Buffer> {
    return this.#show('coupons', id, call, reply, read(OF_COUPON, call.parameters, 'as_of'));
  }

  @Describe({
    summary: `Shows a deal as partners saw it ${THEN}. A list showed the stock as recorded, with holds that had just run out; this shows what was free. The shape \`v3\` is that of the v3 list, with all fields or those in \`fields\`.`,
    parameters: AS_OF_DEAL,
    answer: [success({ deal: DEAL }), DEAL_V3],
  })
  @Get('deals/:id')
  deal(
    @TheCall() call: Call,
    @Param('id') id: string,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Buffer> {
    return this.#show('deals', id, call, reply, read(AS_OF_DEAL, call.parameters, 'as_of'));
  }

  @Describe({
    summary: `Shows a user as their partner saw them ${THEN}. The log notes who has seen it. What has been erased since is null, and the header Holdfast-Erased has how many persons that concerns.`,
    parameters: AS_OF_PARAMETERS,
    answer: success({ user: USER }),
  })
  @Get('users/:id')
  user(
    @TheCall() call: Call,
    @Param('id') id: string,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Buffer> {
    return this.#show('users', id, call, reply, read(AS_OF_PARAMETERS, call.parameters, 'as_of'));
  }

  @Describe({
    summary:
      'Shows a card link as the answer to its change showed it, as of a time: with the value of `Holdfast-As-Of`, the bytes of that answer.',
    parameters: AS_OF_PARAMETERS,
    answer: success({ card_link: CARD_LINK }),
  })
  @Get('card_links/:id')
  cardLink(
    @TheCall() call: Call,
    @Param('id') id: string,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Buffer> {
    return this.#show('card_links', id, call, reply, read(AS_OF_PARAMETERS, call.parameters, 'as_of'));
  }

  async #show(
    resource: Resource,
    id: string,
    call: Call,
    reply: FastifyReply,
    { as_of, shape = 'v1', fields }: Asked,
  ): Promise<Buffer> {
    const { past, form } = await this.queries.execute(new FindThen(as_of ?? {}));
    const made = madeIn(form, this.#parts.keyring, this.publicUrl);
    const found = await ANSWERS_OF_THEN[resource][shape]?.(past, id, this.#parts, { ...made, fields });
    if (found === undefined) throw UNKNOWN_THEN[resource]();
    // Before anything is opened: what cannot be noted is not shown.
    if (found.person !== null) await recordRead(this.#parts, call, found.person, 'as_of');
    const answer = await found.show();
    if (as_of?.number !== undefined) void reply.header(AS_OF, textOf({ ...as_of, form: made.form }));
    if (call.shown.erased.size > 0) void reply.header(ERASED, String(call.shown.erased.size));
    return sendJson(reply, Buffer.from(JSON.stringify(answer)));
  }
}
