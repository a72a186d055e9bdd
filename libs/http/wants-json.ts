/** Whether a caller wants JSON, not a page: programs ask for JSON; browsers ask for HTML, among others. */
export function wantsJson(accepted = ''): boolean {
  return accepted.includes('application/json') && !accepted.includes('text/html');
}

/** Whether a caller asks for a page by name, as browsers do; programs that take anything get JSON. */
export function wantsPage(accepted = ''): boolean {
  return accepted.includes('text/html');
}
