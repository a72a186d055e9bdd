import { signedPart, type MailLinkKind } from '#engagement/module';
import { eventsOf } from './data-folder.js';
import { keyringOf } from './keyring-of.js';
import type { RunningService, TestPartner } from './running-service.js';

/**
 * The signed part of the link in a mail of this partner. A confirmation's names the address that the user has now.
 * @param id of the subscription; for the end of batch mails, of the user
 */
export async function signedLink(
  service: RunningService,
  { key }: Pick<TestPartner, 'key'>,
  kind: MailLinkKind,
  id: string,
): Promise<string> {
  const keyring = await keyringOf(service);
  if (kind !== 'confirmation') return signedPart(keyring, { kind, id, address: null });
  const { user_id } = (await service.ask('GET', `/subscriptions/${id}`, { key })).body.subscription;
  const address = (await eventsOf(service.dataDir))
    .filter(({ stream, data }) => stream === `user-${user_id}` && 'address' in data)
    .map(({ data }) => (data as { readonly address: string }).address)
    .at(-1);
  if (address === undefined) throw new Error('the user has no address');
  return signedPart(keyring, { kind, id, address });
}
