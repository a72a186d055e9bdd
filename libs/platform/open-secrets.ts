import { openToOthers } from '#files';
import type { Config } from './config.js';

/** The options of connection strings that name a file with a private key. */
const KEY_OPTIONS = { eventStoreUrl: 'userKeyFile', mongoUrl: 'tlsCertificateKeyFile' } as const;
const VARIABLES = { eventStoreUrl: 'EVENTSTORE_URL', mongoUrl: 'MONGODB_URL' } as const;

type Settings = Pick<Config, 'tls' | 'dkim' | keyof typeof KEY_OPTIONS>;

/**
 * A warning for each private key that an operator names and that other users can read or change. The secrets in the data folder
 * are not among them: each start closes those.
 */
export function warningsOfOpenSecrets(config: Settings): readonly string[] {
  return filesOf(config).flatMap(([name, file]) => {
    const warning = file === undefined ? undefined : openToOthers(file);
    return warning === undefined ? [] : [`${name}: ${warning}`];
  });
}

function filesOf(config: Settings): readonly (readonly [name: string, file: string | undefined])[] {
  const { tls, dkim } = config;
  const named = (['eventStoreUrl', 'mongoUrl'] as const).map(
    (setting) =>
      [
        `${VARIABLES[setting]}, option ${KEY_OPTIONS[setting]}`,
        optionOf(config[setting], KEY_OPTIONS[setting]),
      ] as const,
  );
  return [['TLS_KEY', tls?.key], ['DKIM_KEY', dkim?.key], ...named];
}

/** An option of a connection string. Option names have any case, and servers before them may be several. */
function optionOf(url: string | undefined, option: string): string | undefined {
  const query = url?.split('?')[1] ?? '';
  const found = [...new URLSearchParams(query)].find(([name]) => name.toLowerCase() === option.toLowerCase());
  return found?.[1];
}
