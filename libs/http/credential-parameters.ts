/** The parameters that carry a credential: a partner's key (ruling A4), or a user's access token (ruling A7). */
export type CredentialParameter = 'api_key' | 'access_token';

/** The credentials in one place of a request. `''` stands for one that is present but can belong to nobody, such as a number. */
export type Credentials = Readonly<Partial<Record<CredentialParameter, string>>>;

/**
 * All parameters that carry a credential (ruling H2). The address of a next page and the fingerprint of a request leave them
 * out, and calls that refuse unknown parameters accept them. Log lines have no parameters at all.
 */
export const CREDENTIAL_PARAMETERS: ReadonlySet<string> = new Set<CredentialParameter>(['api_key', 'access_token']);
