import { Readable } from 'node:stream';
import { Inject, Controller, Req, Res } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { Time, Writer, Freshness, Keyring } from '#eventsourcing';
import {
  type Act,
  AllowFor,
  boolean,
  type Call,
  Describe,
  ndjsonRequired,
  NDJSON,
  PostCall,
  read,
  remember,
  success,
  TheCall,
  type AnswerOf,
} from '#http';
import { MOST_REFUSED_LINES } from '#kernel/bounds';
import { KINDS } from './import-line.js';
import { Importer, rehearsing, running } from './importer.js';
import { noteBegin, noteEnd } from './note-import.js';

const COUNT = z.int().min(0);
const HOW = z.object({
  dry_run: boolean()
    .optional()
    .describe('Decides every line and writes nothing: the answer says what each would do. In the query.'),
});
const IMPORTED = success({
  dry_run: z.literal(true).exactOptional().describe('Set if nothing was written.'),
  lines: COUNT,
  changed: COUNT,
  unchanged: COUNT,
  refused_count: COUNT.describe('How many lines were refused. Check that it is 0.'),
  refused: z
    .array(
      z.strictObject({
        line: z.int().describe('From 1.'),
        kind: z.enum(KINDS).exactOptional(),
        slug: z.string().exactOptional(),
        reason: z.string(),
      }),
    )
    .max(MOST_REFUSED_LINES)
    .describe('The first refused lines: number, kind and slug if the line has them, and reason.'),
  more_refused: COUNT.optional().describe('How many more lines were refused; absent if all are listed.'),
});
/**
 * The least pause between two progress lines, in milliseconds, and as a part of the time so far. So the answer to a long import
 * stays short: it is kept for repeats.
 */
const TELL_EVERY = 500;
const TELL_PART = 0.01;

/** Imports regions, deals, partners and users from NDJSON of any length (ruling G4). */
@AllowFor('operator')
@Controller('operators/import')
export class ImportController {
  constructor(
    private readonly writer: Writer,
    private readonly freshness: Freshness,
    private readonly keyring: Keyring,
    @Inject(Time) private readonly time: Time,
    private readonly commands: CommandBus,
  ) {}

  /**
   * Answers with counts and the refused lines. If the caller accepts NDJSON, progress lines come while the import runs, and the
   * answer is the last line.
   */
  @Describe({
    summary: 'Imports regions, deals, partners and users, one line of JSON each.',
    bodyMeaning:
      'Each line has a `kind` (`region`, `deal`, `partner`, `user`) and the parameters of the operators’ call for that kind. A deal also has its `slug`, and may have the `state` that it arrives in; a user has the slug of its `partner`. An example is `{"kind":"partner","slug":"acme","name":"Acme"}`. docs/import.md describes the format.',
    body: NDJSON,
    parameters: HOW,
    answer: IMPORTED,
  })
  @PostCall('')
  async import(
    @TheCall() call: Call,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<object> {
    const { body } = request;
    if (!(body instanceof Readable)) {
      throw ndjsonRequired();
    }
    const { writer, keyring, time } = this;
    const isDry = read(HOW, call.parameters, 'import').dry_run === true;
    const importer = isDry
      ? new Importer({ writer, keyring, time }, this.commands, call.command, rehearsing())
      : new Importer({ writer, keyring, time }, this.commands, call.command, running, () =>
          noteBegin(writer, call.command),
        );
    const run = async (length: number | undefined): Promise<void> => {
      try {
        await importer.run(body, length);
      } finally {
        if (!isDry) await noteEnd({ writer, time }, importer, call.command);
      }
    };
    if (!isDry) void importer.begun.then(() => (call.act = actOf(importer)));
    const { 'content-length': contentLength } = request.headers;
    const length = contentLength === undefined ? undefined : Number(contentLength);
    if (request.headers.accept?.includes(NDJSON) !== true) {
      await run(length);
      call.position = importer.position;
      return answerOf(importer, isDry);
    }
    const ending = run(length);
    // If the caller goes away, nobody awaits it.
    ending.catch(() => undefined);
    // A body without a line is refused before the answer begins, like other requests.
    await Promise.race([importer.begun, ending]);
    void reply.type(NDJSON);
    // The answer begins before the last position is known. The caller's later reads must wait for that position all the same.
    const ended = (): void => {
      const { position } = importer;
      call.position = position;
      if (position !== undefined) remember(call, position, this.freshness);
    };
    return Readable.from(progressLines(() => answerOf(importer, isDry), importer, ending, ended, this.time));
  }
}

function answerOf({ counts, refused }: Importer, isDry: boolean): AnswerOf<typeof IMPORTED> {
  const { lines, changed, unchanged } = counts;
  const more = counts.refused - refused.length;
  const answer = {
    status: 'success',
    ...(isDry ? { dry_run: true as const } : {}),
    ...{ lines, changed, unchanged, refused_count: counts.refused, refused },
  } as const;
  return more === 0 ? answer : { ...answer, more_refused: more };
}

/** One line of the log for the whole import, as it is when its answer has ended: it may have broken off. */
function actOf(importer: Importer): Act {
  return {
    get words() {
      return importer.isWhole ? 'a file was imported' : 'an import broke off';
    },
    get of() {
      const { region: regions, deal: deals, partner: partners, user: users } = importer.changed;
      return { ...importer.counts, regions, deals, partners, users };
    },
  };
}

async function* progressLines(
  answer: () => object,
  { counts }: Pick<Importer, 'counts'>,
  run: Promise<void>,
  ended: () => void,
  time: Time,
): AsyncGenerator<string> {
  const since = time.monotonic();
  const running = run.then(() => 'ended' as const);
  const next = (): Promise<void> => time.pause(Math.max(TELL_EVERY, TELL_PART * (time.monotonic() - since)));
  while ((await Promise.race([running, next()])) !== 'ended') {
    yield `${JSON.stringify({ progress: counts })}\n`;
  }
  ended();
  yield `${JSON.stringify(answer())}\n`;
}
