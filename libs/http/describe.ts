import { SetMetadata } from '@nestjs/common';
import { z } from 'zod';
import { BODY_LIMITS, INTEGERS, type BodyLimit } from '#kernel/bounds';
import type { ErrorType } from './errors.js';

/** The answer of a call: JSON with this schema, or a content type. */
export type Answer =
  | z.ZodType
  | 'text/html'
  | 'text/csv'
  | 'text/plain'
  | 'image/png'
  | 'image/svg+xml'
  | 'application/json'
  | 'application/x-ndjson'
  | '*/*';

/** How the API reference describes a call (ruling G11). Texts are plain sentences. */
export interface Description {
  readonly summary: string;
  /** The schema that the call reads its query, JSON body or form with. */
  readonly parameters?: z.ZodObject;
  /** The type of a body that is neither JSON nor a form. */
  readonly body?: 'application/x-ndjson';
  /** The meaning of such a body. */
  readonly bodyMeaning?: string;
  /** The largest body; `usual` by default. A body that is read line by line has no limit. */
  readonly bodyLimit?: BodyLimit;
  /** Whether its success is 201 (ruling A8); 200 otherwise. */
  readonly created?: true;
  /** One answer, or several that the caller may choose from. */
  readonly answer: Answer | readonly Answer[];
  /** Failures that do not follow from credentials, method or body, by status; `error` is the usual error body. */
  readonly otherwise?: Readonly<Record<number, Answer | 'error'>>;
  /** Examples of failures with a body of their own, by status. */
  readonly ownFailures?: Readonly<Record<number, object>>;
  /** Whether the answer has an ETag, so that callers can revalidate a copy. */
  readonly tagged?: true;
  /** Headers of a success that other calls do not have. */
  readonly headers?: readonly 'ExpiresAt'[];
  /** Whether the call will be removed: each of its answers has `Deprecation` and `Sunset` (ruling A7). */
  readonly deprecated?: true;
  /** The prefix that the interface writes the path with. */
  readonly prefix?: '/v1' | '/api/v1';
  /** Refusals that depend on the present state, each with an example of its text. */
  readonly refuses?: Readonly<Partial<Record<ErrorType, string>>>;
  /** The parameter that a call without any parameters misses, although another one may stand for it. */
  readonly missing?: string;
  /** Parameters of an example request. The caller replaces each `<…>`. */
  readonly example?: Readonly<Record<string, unknown>>;
}

const DESCRIPTION = 'holdfast:description';
const GROUP = 'holdfast:group';

/** Describes a controller's method in the API reference. It does not change the call. */
export const Describe = (description: Description): MethodDecorator => SetMetadata(DESCRIPTION, description);

/** The heading of a controller's calls in the API reference: the resource that they are about. */
export const DescribeUnder = (group: string): ClassDecorator => SetMetadata(GROUP, group);

/** The description of a controller's method, if it has one. */
export function descriptionOf(method: object): Description | undefined {
  return Reflect.getMetadata(DESCRIPTION, method) as Description | undefined;
}

/** The largest body of a call, in bytes; Infinity for a call that reads its body line by line. */
export function bodyLimitOf(description: Description | undefined): number {
  if (description?.body !== undefined) return Infinity;
  return BODY_LIMITS[description?.bodyLimit ?? 'usual'];
}

export function groupOf(controller: object): string | undefined {
  return Reflect.getMetadata(GROUP, controller) as string | undefined;
}

/** A point in time in operators' and auditors' answers, made by `isoTime`: one that their calls take again. */
export const MOMENT = z.string().meta({
  format: 'date-time',
  description: 'ISO 8601 in UTC, such as 2027-01-31T12:00:00Z, with milliseconds if it has any.',
});

type Success<Shape extends z.core.$ZodShape> = z.ZodObject<{ status: z.ZodLiteral<'success'> } & Shape, z.core.$strict>;

/** The answer of a success: `status`, and these fields. */
export const success = <Shape extends z.core.$ZodShape>(shape: Shape): Success<Shape> =>
  z.strictObject({ status: z.literal('success'), ...shape });

/** The answer of a success without other fields. */
export const SUCCESS = success({});

/**
 * The answer of a list: its items, or their number if the caller asks for `count` (ruling A10). Both have one shape, so that a
 * generated client needs one type.
 */
export const listed = (name: string, item: z.ZodType): Readonly<Record<string, z.ZodOptional<z.ZodType>>> => ({
  [name]: z
    .array(item)
    .max(INTEGERS.perPage[1])
    .optional()
    .describe(
      'One page of items; absent if `count` is asked for. A page with fewer than `per_page` items is the last one.',
    ),
  count: z.int().min(0).optional().describe('The number of items on all pages; only if `count` is asked for.'),
});

/** What lists of deals add (interface 2.3, ruling B8). */
export const NEXT_PAGE = {
  next_page: z.url().optional().describe('The address of the next page; absent on the last one.'),
};

/** The answer of a list. */
export const listOf = (name: string, item: z.ZodType, besides: Readonly<Record<string, z.ZodType>> = {}): z.ZodType =>
  success({ ...listed(name, item), ...besides });
