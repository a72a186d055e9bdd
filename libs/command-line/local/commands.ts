/** A command that makes no call of its own: it looks at the folder and the servers of an installation, with a service or without. */
export interface LocalCommand {
  readonly name: string;
  readonly words: string;
  readonly example: string;
}

/** The commands that need no service (rulings G8.2, G8.3). */
export const LOCAL: { readonly [Name in 'doctor' | 'describe']: LocalCommand } = {
  doctor: {
    name: 'doctor',
    words:
      'checks files, rights, room, clocks, servers, certificates, backups and the state of the service, and says what to do; exits with 1 if something is wrong',
    example: 'doctor',
  },
  describe: {
    name: 'describe',
    words: 'describes the installation for a request for help, without secrets and without people; prints JSON',
    example: 'describe --json > describe.json',
  },
};

/** The option of both: a service under systemd has its settings in a file. */
export const SETTINGS_FILE = {
  flags: '--settings <file>',
  words: 'the file with the settings of the service (NAME=value lines), if they are not in the environment',
} as const;
