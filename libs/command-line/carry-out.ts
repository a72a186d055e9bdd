import type { Call, OneCall, PageCall, Values } from './calls/call.js';
import { ExitCode } from './command-failure.js';
import { listAll, listPart } from './list.js';
import { objectIn } from './files.js';
import { requestOf } from './request.js';
import type { Session } from './session.js';
import { seenByDefault, show } from './show.js';

/** Carries a command out with what the operator has given. @throws CommandFailure */
export async function carryOut(call: Call, session: Session, values: Values): Promise<void> {
  switch (call.kind) {
    case 'one':
      return askOne(call, session, values);
    case 'page':
      return askPage(call, session, values);
    case 'list': {
      const { all, ...rest } = values;
      return all === true ? listAll(call, session, rest) : listPart(call, session, rest);
    }
    case 'own':
      return call.run(session, values);
  }
}

async function askOne(call: OneCall, { service, output, endWith }: Session, values: Values): Promise<void> {
  const { method, path, body } = requestOf(call, { ...call.fixed, ...values });
  const sent = call.body === undefined ? body : await objectIn(String(values['body']));
  const answer = await service.ask<object>(method, path, { body: sent });
  const seen = call.show?.(answer) ?? seenByDefault(answer);
  show(output, answer, seen);
  if (seen.nothing) endWith(ExitCode.refused);
}

async function askPage(call: PageCall, { service, output }: Session, values: Values): Promise<void> {
  const { method, path } = requestOf(call, values);
  const answer = await service.ask<Readonly<Record<string, readonly object[] | undefined>>>(method, path);
  const items = answer[call.key];
  const seen =
    items === undefined ? seenByDefault(answer) : { columns: call.columns, rows: call.rows?.(items) ?? items };
  show(output, answer, { ...seen, ...nextPage(items?.length ?? 0, values) });
}

/** A full page may have a next one. */
function nextPage(found: number, { page = 1, per_page = 100 }: Values): { readonly next?: string } {
  return found < Number(per_page) ? {} : { next: `There may be more: go on with --page ${Number(page) + 1}.` };
}
