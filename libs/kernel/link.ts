/**
 * What is wrong with a URL that others will open; undefined for an http or https URL that every reader takes for the same one.
 * Browsers read backslashes as slashes and leave out what is invisible, and other programs do not: so both are refused.
 * @returns a message that follows the name of the field
 */
export function linkFault(text: string): string | undefined {
  if (!/^https?:\/\//i.test(text)) return 'must be an http or https URL such as https://shop.example/page';
  if (/[\s\\\p{Cc}\p{Cf}\p{Cs}]/u.test(text))
    return 'must have no blanks, backslashes or invisible characters: encode them';
  if (/^[^/]*\/\/[^/?#]*@/.test(text)) return 'must have no user name or password';
  // Browsers take `https:///page` for the host `page`.
  if (!/^[^/]*\/\/[^/?#]/.test(text) || !URL.canParse(text))
    return 'must be a whole URL such as https://shop.example/page';
  return undefined;
}
