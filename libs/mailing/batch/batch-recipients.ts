import { deal, stateAt } from '#catalogue/model';
import { endOfBatchMailsLink, wantsBatchMails } from '#engagement';
import { type Writer, type Keyring, type Clock, type PersonalData } from '#eventsourcing';
import { pictureOf, type PublicUrl } from '#http';
import { addressAt, isSuspended, storefrontUrlOf } from '#partners';
import { openProfile } from '#people';
import { user } from '#people/model';
import type { Mail } from '../mail/index.js';
import { messageId } from '../message-id.js';
import { batchMail } from '../mail/templates/index.js';
import type { Recipients } from './batch-delivery.js';
import type { SkipReason } from './batch.events.js';
import { isMailable } from './batch.faults.js';
import type { BatchRow } from './batch.row.js';

/** Makes the mail of a recipient, from what the log has now (rulings F4, H3, H4). */
export class BatchRecipients implements Recipients {
  constructor(
    private readonly writer: Writer,
    private readonly keyring: Keyring,
    private readonly clock: Clock,
    private readonly personalData: PersonalData,
    private readonly publicUrl: PublicUrl,
  ) {}

  async find({ batch_id, partner_id, deal_id }: BatchRow, userId: string): Promise<Mail | SkipReason> {
    const { writer, clock, keyring, personalData } = this;
    if (await isSuspended(writer, partner_id)) return 'suspended';
    const found = await writer.read(deal, deal_id);
    if (found === null || !isMailable(stateAt(found, clock.now()))) return 'deal-not-on-sale';
    const reader = await writer.read(user, userId);
    if (reader === null || reader.deleted) return reader?.erased ? 'erased' : 'hidden';
    if (!(await wantsBatchMails(writer, userId))) return 'unsubscribed';
    const profile = await openProfile(personalData, reader);
    if (profile === null) return 'erased';
    const { href } = this.publicUrl;
    const storefront = await storefrontUrlOf(writer, partner_id);
    const link = storefront === null ? `${href}/deals/${deal_id}` : addressAt(storefront, deal_id);
    const unsubscribe = endOfBatchMailsLink(keyring, href, userId);
    const { title, merchant_name, description1, current_price, value, image } = found.attributes;
    return {
      messageId: messageId(`${batch_id}.${userId}`, href),
      to: profile.email,
      ...batchMail({
        firstName: profile.first_name,
        deal: {
          title,
          merchant: merchant_name,
          description: description1,
          price: current_price,
          value,
          picture: pictureOf(image, 'large', href)?.url ?? null,
          link,
        },
        unsubscribe,
      }),
      unsubscribe,
    };
  }
}
