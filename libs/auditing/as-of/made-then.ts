import type { Keyring } from '#eventsourcing';
import { ANSWERS, PublicUrl } from '#http';
import { DomainError } from '#kernel';
import type { AnswerFormUsed } from '#operations/model';

/** How answers were made then. */
export interface MadeThen {
  /** The number of the form; 0 before the first one was noted. */
  readonly form: number;
  /** The version of the answers (`ANSWERS`). */
  readonly version: number;
  readonly publicUrl: PublicUrl;
  /** Signs URLs with the key of then. */
  readonly signing: Pick<Keyring, 'sign'>;
}

/**
 * How answers were made in a form; before the first form was noted, as this process makes them.
 * @throws DomainError as_of_unknown if this build or this installation cannot make them any more
 */
export function madeIn(form: AnswerFormUsed | undefined, keyring: Keyring, publicUrl: PublicUrl): MadeThen {
  if (form === undefined) return { form: 0, version: ANSWERS, publicUrl, signing: keyring };
  const { presenters: version, public_url, url_key } = form;
  if (version > ANSWERS)
    throw cannot(`needs a newer version of the service: answers had the version ${version}, here they have ${ANSWERS}`);
  const signing = keyring.signingWith(url_key);
  if (signing === undefined)
    throw cannot(`needs the key ${url_key} of URLs, which the key store does not have any more`);
  return { form: form.form, version, publicUrl: new PublicUrl(public_url), signing };
}

function cannot(message: string): DomainError {
  return new DomainError('as_of_unknown', message);
}
