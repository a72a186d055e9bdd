/** The library's error. */
export interface SmtpError extends Error {
  /** The library's code, such as EAUTH, EENVELOPE or ESOCKET. */
  readonly code?: string;
  /** The system's code, such as ECONNREFUSED. */
  readonly originalCode?: string;
  /** The server's last reply, if it said no. */
  readonly response?: string;
  readonly responseCode?: number;
  /** The library's judgement of a reply: 5xx, but for 503. */
  readonly permanent?: boolean;
}
