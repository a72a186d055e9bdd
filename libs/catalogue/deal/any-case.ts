/** A name in one form, whatever the case that it was written in. */
export function anyCase(name: string): string {
  return name.normalize('NFKC').toUpperCase().toLowerCase();
}
