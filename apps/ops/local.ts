import type { Diagnosis } from '#platform';

type Environment = Readonly<Record<string, string | undefined>>;

/** What the command line gives: where the service is, and the names in `--settings`. */
interface Options {
  readonly url?: string | undefined;
  readonly tokenFile?: string | undefined;
  readonly names: readonly string[];
}

/** The commands that look at an installation. The service's own code loads only if one of them runs. */
export const local = {
  async diagnose(environment: Environment, { names, ...options }: Options): Promise<Diagnosis> {
    const { diagnose, unknownNames } = await import('#platform');
    return diagnose(environment, { ...options, unknown: unknownNames(names) });
  },
  async describe(environment: Environment, options: Options): Promise<object> {
    return (await import('#platform')).describe(environment, options);
  },
};
