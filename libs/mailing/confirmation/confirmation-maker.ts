import { confirmationLink } from '#engagement';
import type { Regions } from '#catalogue';
import { type Keyring } from '#eventsourcing';
import type { PublicUrl } from '#http';
import { confirmationMail } from '../mail/templates/index.js';
import { messageId } from '../message-id.js';
import type { MakeMail } from '../subscription-mail/subscription-mail-delivery.js';

/** Makes the mail that asks a user to confirm their subscription (ruling E5). It has no link to unsubscribe: nothing follows it. */
export function confirmationMaker(keyring: Keyring, regions: Pick<Regions, 'find'>, publicUrl: PublicUrl): MakeMail {
  return async ({ row, profile, address }, turn) => {
    if (row.confirmed) return 'confirmed';
    const { subscription_id: id, region_id } = row;
    const { href } = publicUrl;
    return {
      messageId: messageId(`confirmation.${turn}.${id}`, href),
      to: profile.email,
      ...confirmationMail({
        firstName: profile.first_name,
        region: (await regions.find(region_id))?.name ?? region_id,
        link: confirmationLink(keyring, href, id, address),
      }),
      unsubscribe: null,
    };
  };
}
