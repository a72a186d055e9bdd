import type { DealOfRegion, DealsOfRegion, Regions } from '#catalogue';
import { endOfSubscriptionLink } from '#engagement';
import { type Writer, type Keyring } from '#eventsourcing';
import { pictureOf, type PublicUrl } from '#http';
import { DAY, utcTime } from '#kernel';
import { addressAt, storefrontUrlOf } from '#partners';
import { dailyUpdateMail, type DealInMail } from '../mail/templates/index.js';
import { scheduleId } from '../schedule/schedule-day.js';
import { schedule } from '../schedule/schedule.decider.js';
import { isSuppressed } from '../schedule/schedule.state.js';
import { messageId } from '../message-id.js';
import type { MakeMail } from '../subscription-mail/subscription-mail-delivery.js';

/** Makes the daily update of a subscription (rulings F5, H3, H4). Its links lead to the partner's storefront, if there is one. */
export function dailyUpdateMaker(
  writer: Writer,
  keyring: Keyring,
  regions: Pick<Regions, 'find'>,
  deals: DealsOfRegion,
  publicUrl: PublicUrl,
): MakeMail {
  return async ({ row, profile }, day) => {
    const { subscription_id: id, user_id, partner_id, region_id } = row;
    if (!row.confirmed) return 'ended';
    const scheduled = await writer.read(schedule, scheduleId(partner_id, day * DAY));
    if (isSuppressed(scheduled, user_id)) return 'suppressed';
    const found = await deals.find(region_id);
    if (found.length === 0) return 'no-deals';
    const { href } = publicUrl;
    const storefront = await storefrontUrlOf(writer, partner_id);
    const unsubscribe = endOfSubscriptionLink(keyring, href, id);
    return {
      messageId: messageId(`daily.${utcTime(day * DAY).slice(0, 10)}.${id}`, href),
      to: profile.email,
      ...dailyUpdateMail({
        firstName: profile.first_name,
        region: (await regions.find(region_id))?.name ?? region_id,
        deals: found.map((deal) => shown(deal, storefront, href)),
        unsubscribe,
      }),
      unsubscribe,
    };
  };
}

function shown({ deal_id, attributes }: DealOfRegion, storefront: string | null, href: string): DealInMail {
  const { title, merchant_name, current_price, value, image } = attributes;
  return {
    title,
    merchant: merchant_name,
    price: current_price,
    value,
    picture: pictureOf(image, '_300', href)?.url ?? null,
    link: storefront === null ? `${href}/deals/${deal_id}` : addressAt(storefront, deal_id),
  };
}
