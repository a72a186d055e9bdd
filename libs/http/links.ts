import { type z } from 'zod';
import { linkFault } from '#kernel';
import { text } from './parameters.js';

/**
 * A URL that the service shows or sends to others: http or https, without a credential (ruling G4). Every parameter that is
 * one has this type or `picture`; a test finds those that do not, by their names.
 * @param words the message for every wrong URL; by default it says what is wrong with it
 */
export const link = (words?: string): z.ZodType<string> =>
  checked((text) => linkFault(text) && (words ?? linkFault(text))).meta({ format: 'uri' });

/** The picture of something: such a URL, or a path at this service (ruling G4). */
export const picture = (): z.ZodType<string> => checked(pictureFault).meta({ format: 'uri-reference' });

const checked = (faultOf: (text: string) => string | undefined): z.ZodType<string> =>
  text('link').superRefine((input, context) => {
    const message = faultOf(input);
    if (message !== undefined) context.addIssue({ code: 'custom', message });
  });

/** The scheme of a URL, or the two slashes before a host. */
const ELSEWHERE = /^\s*([a-z][a-z0-9+.-]*:|[/\\]{2})/i;

function pictureFault(text: string): string | undefined {
  if (!ELSEWHERE.test(text)) return undefined;
  const fault = linkFault(text);
  return fault?.replace(/^must be an http or https URL/, 'must be a path, or an http or https URL');
}
