import type { z } from 'zod';
import type { PersonalData } from '#eventsourcing';
import { isoTime } from '#kernel';
import type { Address, Profile } from '#people';
import type { AddressRow, UserRow } from '#people/model';
import type { PERSON_SHOWN, ShownAddress } from './person.answer.js';

/** A user with their opened profile; null if they are being erased. */
export function presentPerson(
  row: Pick<UserRow, 'user_id' | 'deleted' | 'created_at'>,
  profile: Profile | null,
  wantsBatchMails: boolean,
): z.infer<typeof PERSON_SHOWN> {
  return {
    id: row.user_id,
    email: profile?.email ?? null,
    first_name: profile?.first_name ?? null,
    last_name: profile?.last_name ?? null,
    birthday: profile?.birthday ?? null,
    postal_code: profile?.postal_code ?? null,
    source: profile?.source ?? null,
    token: profile?.token ?? null,
    credits: profile?.credits ?? null,
    partner_data: profile?.partner_data ?? null,
    deleted: row.deleted,
    created_at: isoTime(row.created_at),
    wants_batch_mails: wantsBatchMails,
  };
}

/** An address of a user, in or out of their list. */
export async function presentAnyAddress(
  personalData: PersonalData,
  { address_id, user_id, address, removed }: AddressRow,
): Promise<ShownAddress> {
  const opened = await personalData.open<Address>(user_id, address);
  return { id: address_id, ...(opened ?? NOTHING), removed };
}

const NOTHING = {
  name: null,
  address_one: null,
  address_two: null,
  postal_code: null,
  city: null,
  state: null,
  country: null,
};
