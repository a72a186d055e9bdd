import { type Keyring, type PersonalData, type Writer } from '#eventsourcing';

/** What creating and changing users works with. */
export class UserParts {
  constructor(
    readonly writer: Writer,
    readonly keyring: Keyring,
    readonly personalData: PersonalData,
  ) {}
}
