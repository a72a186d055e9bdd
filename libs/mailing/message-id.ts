/** A Message-ID, which is the same for every try of a mail as long as the service has the same address. */
export function messageId(local: string, publicUrl: string): string {
  return `<${local}@${URL.parse(publicUrl)?.hostname ?? 'localhost'}>`;
}
