import { SetMetadata } from '@nestjs/common';
import { z } from 'zod';
import { BODY_LIMITS, INTEGERS, type BodyLimit } from '#kernel/bounds';
import type { ErrorType } from './errors.js';

/** What a call answers with: JSON of a schema, or a page or picture of this type. */
export type Answer =
  z.ZodType | 'text/html' | 'image/png' | 'image/svg+xml' | 'application/json' | 'application/x-ndjson' | '*/*';

/** What the reference tells of a call (ruling G11). Descriptions are plain sentences. */
export interface Description {
  readonly summary: string;
  /** What the query, a JSON body or a form may say: the schema that the call reads them with. */
  readonly parameters?: z.ZodObject;
  /** Where the body is neither JSON nor a form: its type. */
  readonly body?: 'application/x-ndjson';
  /** What such a body says. */
  readonly bodyMeaning?: string;
  /** How large its body may be; `usual` where nothing is said. What comes line by line has no end of its own. */
  readonly bodyLimit?: BodyLimit;
  /** One, or those that its caller may choose from. */
  readonly answer: Answer | readonly Answer[];
  /** Failures besides those that follow from who calls, and how, with their shape where it is not that of errors alone. */
  readonly otherwise?: Readonly<Record<number, Answer | 'error'>>;
  /** Whether its answer has an ETag, and whoever has a copy may ask whether that is still good. */
  readonly tagged?: true;
  /** Headers that a success has for its own. */
  readonly headers?: readonly 'ExpiresAt'[];
  /** The prefix that the interface writes the path with. */
  readonly prefix?: '/v1' | '/api/v1';
  /** What it may be refused with for what is there, beside wrong parameters and unknown ids: each with the text of one such. */
  readonly refuses?: Readonly<Partial<Record<ErrorType, string>>>;
  /** A request, as its parameters. What stands in `<…>` is to be put in. */
  readonly example?: Readonly<Record<string, unknown>>;
}

const DESCRIPTION = 'holdfast:description';
const GROUP = 'holdfast:group';

/** Describes a controller's method in the reference. It changes nothing of what the call does. */
export const Describe = (description: Description): MethodDecorator => SetMetadata(DESCRIPTION, description);

/** Where the calls of a controller stand in the reference: by the resource that they are about. */
export const DescribeUnder = (group: string): ClassDecorator => SetMetadata(GROUP, group);

/** What is said of a controller's method; undefined where nothing is. */
export function descriptionOf(method: object): Description | undefined {
  return Reflect.getMetadata(DESCRIPTION, method) as Description | undefined;
}

/** Bytes of a body that a call takes; Infinity where it reads its body line by line. */
export function bodyLimitOf(description: Description | undefined): number {
  if (description?.body !== undefined) return Infinity;
  return BODY_LIMITS[description?.bodyLimit ?? 'usual'];
}

export function groupOf(controller: object): string | undefined {
  return Reflect.getMetadata(GROUP, controller) as string | undefined;
}

type Success<Shape extends z.core.$ZodShape> = z.ZodObject<{ status: z.ZodLiteral<'success'> } & Shape, z.core.$strict>;

/** The answer of a success: its status, and these beside it. */
export const success = <Shape extends z.core.$ZodShape>(shape: Shape): Success<Shape> =>
  z.strictObject({ status: z.literal('success'), ...shape });

/** The answer of a success that tells nothing else. */
export const SUCCESS = success({});

/**
 * What a list answers with: its items, or how many there are where `count` asks for it (ruling A10). One shape for both: a
 * client that is made of the document need not tell two apart.
 */
export const listed = (name: string, item: z.ZodType): Readonly<Record<string, z.ZodOptional<z.ZodType>>> => ({
  [name]: z
    .array(item)
    .max(INTEGERS.perPage[1])
    .optional()
    .describe(
      'One page of them; absent where `count` is asked for. A page with fewer than `per_page` of them is the last one.',
    ),
  count: z
    .int()
    .min(0)
    .optional()
    .describe('How many there are on all pages, in place of them; only where `count` is asked for.'),
});

/** What lists of deals say besides (interface 2.3, ruling B8). */
export const NEXT_PAGE = {
  next_page: z.url().optional().describe('The address of the next page; absent on the last one.'),
};

/** The answer of a list. */
export const listOf = (name: string, item: z.ZodType, besides: Readonly<Record<string, z.ZodType>> = {}): z.ZodType =>
  success({ ...listed(name, item), ...besides });
