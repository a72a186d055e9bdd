/** Whether a caller wants JSON and no page: a program says so; a browser names HTML, and much else. */
export function wantsJson(accepted = ''): boolean {
  return accepted.includes('application/json') && !accepted.includes('text/html');
}
