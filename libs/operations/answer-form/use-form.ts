import type { Keyring, Writer } from '#eventsourcing';
import { ANSWERS, type AnswerForm, type PublicUrl } from '#http';
import { answerForms, formNumber, SERVICE_FORMS } from './answer-form.decider.js';

/**
 * Notes in the log how this process answers, unless it is known (ruling H6). From then on its answers have `Holdfast-As-Of`.
 * @throws Unavailable if the log cannot be read or written now
 */
export async function useForm(
  writer: Writer,
  keyring: Pick<Keyring, 'signingKey'>,
  publicUrl: PublicUrl,
  form: AnswerForm,
): Promise<void> {
  form.number = await noteForm(writer, keyring.signingKey, publicUrl);
}

/**
 * Notes in the log how answers are made whose URLs the key of this number signs, unless it is known.
 * @returns the number of the form
 * @throws Unavailable if the log cannot be read or written now
 */
export async function noteForm(writer: Writer, signingKey: number, publicUrl: PublicUrl): Promise<number | undefined> {
  const own = { presenters: ANSWERS, public_url: publicUrl.href, url_key: signingKey };
  const known = formNumber(await writer.read(answerForms, SERVICE_FORMS), own);
  if (known !== undefined) return known;
  const context = writer.newContext('system:start');
  const { state } = await writer.execute(answerForms, SERVICE_FORMS, { type: 'use', ...own }, context);
  return formNumber(state, own);
}
