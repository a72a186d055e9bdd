import { z } from 'zod';
import {
  PutDeal,
  readArrivingDeal,
  readRegion,
  rehearseDeal,
  rehearseRegion,
  SetRegion,
  withMissingOfDeal,
  withMissingOfNewDeal,
  withMissingOfNewRegion,
  withMissingOfRegion,
} from '#catalogue';
import { type CommandContext, type Done, type Writer, type Keyring, type Time } from '#eventsourcing';
import { jsonOf, oneOfWords, read, readTogether, Refused, slug, text } from '#http';
import { DomainError, type Position } from '#kernel';
import { TEXTS } from '#kernel/bounds';
import { EnrolPartner, findPartner, rehearseEnrolment } from '#partners';
import { CreateUser, findUserByEmail, readCreate } from '#people';

/** The kinds of lines in an import (ruling G4). */
export const KINDS = ['region', 'deal', 'partner', 'user'] as const;
export type Kind = (typeof KINDS)[number];

const KIND = z.object({ kind: oneOfWords(KINDS) });
const PARTNER = z.object({ slug: slug(), name: text('line') });
const OWNER = z.object({ partner: slug() });

/** Sends a line's command to its one handler. */
export interface Send {
  execute(command: SetRegion | PutDeal | EnrolPartner | CreateUser): Promise<Done<unknown>>;
}

/** The kind and slug of a line, if it has them; never data of a person. */
export interface LineSubject {
  readonly kind?: Kind;
  readonly slug?: string;
}

/** A valid line. */
export interface ImportLine extends LineSubject {
  readonly kind: Kind;
  /** Names the thing that the line is about. Lines about the same thing run one after another. */
  readonly subject: string;
  /** Runs the line. Returns the position that it wrote; undefined if it changed nothing. */
  run(context: CommandContext): Promise<Position | undefined>;
  /**
   * Decides the line like `run`, and writes nothing.
   * @param isComing whether an earlier line of the file will make this subject
   * @returns whether it would change anything
   */
  rehearse(context: CommandContext, isComing: (subject: string) => boolean): Promise<boolean>;
}

/** The kind and slug of a refused line, if it has them. */
export function subjectOf(line: string): LineSubject {
  const { kind, slug } = asObject(line) ?? {};
  const known = KINDS.find((each) => each === kind);
  const named = slugIn({ slug });
  return { ...(known !== undefined && { kind: known }), ...(named !== undefined && { slug: named }) };
}

function slugIn({ slug }: Readonly<Record<string, unknown>>): string | undefined {
  return typeof slug === 'string' && slug.length <= TEXTS.id.most ? slug : undefined;
}

function asObject(line: string): Readonly<Record<string, unknown>> | undefined {
  try {
    return objectIn(line);
  } catch {
    return undefined;
  }
}

/** What the lines of an import need. */
export interface ImportParts {
  readonly writer: Writer;
  readonly keyring: Keyring;
  readonly time: Time;
}

/**
 * Reads a line. It runs like the operators' call of its kind. Lines are idempotent: importing the same file again changes
 * nothing.
 * @throws ValidationFailed | Refused that names the fault
 */
export function readLine(line: string, { writer, keyring }: ImportParts, bus: Send): ImportLine {
  const object = objectIn(line);
  const { kind } = read(KIND, object, 'import');
  const { kind: _, ...fields } = object;
  switch (kind) {
    case 'region': {
      const given = orLater(() => readRegion(fields));
      if ('error' in given) {
        const named = slugIn(fields);
        if (named === undefined) throw withMissingOfNewRegion(null, fields, given.error);
        const refuse = (): Promise<never> => withMissingOfRegion(writer, fields, given.error);
        return { kind, slug: named, subject: regionOf(named), run: refuse, rehearse: refuse };
      }
      const { slug: id, changes } = given.value;
      return {
        kind,
        slug: id,
        subject: regionOf(id),
        run: async (context) => (await bus.execute(new SetRegion(id, changes, context))).position,
        rehearse: () => rehearseRegion(writer, id, changes),
      };
    }
    case 'deal': {
      const given = orLater(() => readArrivingDeal(fields));
      if ('error' in given) {
        const named = slugIn(fields);
        if (named === undefined) throw withMissingOfNewDeal(null, fields, given.error);
        const refuse = (): Promise<never> => withMissingOfDeal(writer, named, fields, given.error);
        return { kind, slug: named, subject: `deal ${named}`, run: refuse, rehearse: refuse };
      }
      const { slug: id, deal, arrives } = given.value;
      return {
        kind,
        slug: id,
        subject: `deal ${id}`,
        run: async (context) => (await bus.execute(new PutDeal(id, deal, context, arrives))).position,
        rehearse: (context, isComing) =>
          rehearseDeal(writer, { id, input: deal, arrives }, context, (region) => isComing(regionOf(region))),
      };
    }
    case 'partner': {
      const { slug: id, name } = read(PARTNER, fields, 'partner');
      return {
        kind,
        slug: id,
        subject: partnerOf(id),
        run: async (context) => (await bus.execute(new EnrolPartner(name, id, context))).position,
        rehearse: () => rehearseEnrolment(writer, keyring, { name, slug: id }),
      };
    }
    case 'user': {
      const [{ partner }, profile] = readTogether(
        () => read(OWNER, fields, 'user'),
        () => readCreate(fields),
      );
      return {
        kind,
        subject: `user ${partner} ${profile.email.toLowerCase()}`,
        async run(context) {
          const id = await findPartner(writer, keyring, partner);
          if (id === undefined) throw unknownPartner(partner);
          if ((await findUserByEmail(writer, keyring, id, profile.email)) !== null) return undefined;
          return (await bus.execute(new CreateUser(id, profile, null, context))).position;
        },
        async rehearse(_, isComing) {
          const id = await findPartner(writer, keyring, partner);
          if (id === undefined && !isComing(partnerOf(partner))) throw unknownPartner(partner);
          return id === undefined || (await findUserByEmail(writer, keyring, id, profile.email)) === null;
        },
      };
    }
  }
}

/** The subjects that lines of other kinds need. */
const regionOf = (slug: string): string => `region ${slug}`;
const partnerOf = (slug: string): string => `partner ${slug}`;

const unknownPartner = (slug: string): DomainError => new DomainError('not_found', `partner ${slug} is not known`);

/** What a reader reads, or its error. */
function orLater<T>(reader: () => T): { readonly value: T } | { readonly error: unknown } {
  try {
    return { value: reader() };
  } catch (error) {
    return { error };
  }
}

function objectIn(line: string): Readonly<Record<string, unknown>> {
  const value = valueOf(line);
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  throw new Refused(400, 'validation_failed', 'must be an object');
}

/** Names the place of a fault only by its column, because the line number is that of the file. */
function valueOf(line: string): unknown {
  try {
    return jsonOf(line);
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    throw new Refused(error.status, error.errorType, error.message.replace(' at line 1,', ' at'));
  }
}
