import { Controller, Get } from '@nestjs/common';
import { z } from 'zod';
import { BackupRefused, KEEP_FORM, saysGenerations } from '#backup';
import { AllowFor, type AnswerOf, type Call, Describe, optional, PostCall, read, Refused, text, TheCall } from '#http';
import { isoTime } from '#kernel';
import { BACKUP_ANSWER, type ORDERED_BACKUP } from './backup.answer.js';
import { type OrderedBackup, OrderedBackups } from './ordered-backups.js';

const ORDER = z.object({
  keep: optional(text('line').refine(saysGenerations, { error: KEEP_FORM })).describe(
    'How many daily, weekly and monthly copies stay, such as `7d,4w,12m`; all if absent.',
  ),
});

/** Backups that operators order over HTTP (ruling G12.2). */
@AllowFor('operator')
@Controller('operators/backup')
export class BackupController {
  constructor(private readonly backups: OrderedBackups) {}

  @Describe({
    summary:
      'Begins a backup of the service into the folder of its setting `BACKUP_DIR`, unless one runs, and answers at once. A process of its own takes it.',
    parameters: ORDER,
    answer: BACKUP_ANSWER,
    refuses: { update_failed: 'BACKUP_DIR is not set: set it to the folder of backups, and restart the service' },
  })
  @PostCall('')
  async begin(@TheCall() call: Call): Promise<AnswerOf<typeof BACKUP_ANSWER>> {
    const { keep } = read(ORDER, call.parameters, 'backup');
    try {
      const backup = this.backups.begin(keep);
      call.act = { words: 'a backup was ordered', of: {} };
      return await this.#answer(backup);
    } catch (error) {
      if (error instanceof BackupRefused) throw new Refused(422, 'update_failed', error.message);
      throw error;
    }
  }

  @Describe({
    summary: 'Shows the backup that runs, or the last one that was ordered, and how old the newest one is.',
    answer: BACKUP_ANSWER,
  })
  @Get('')
  last(): Promise<AnswerOf<typeof BACKUP_ANSWER>> {
    return this.#answer(this.backups.last);
  }

  async #answer(ordered: OrderedBackup | undefined): Promise<AnswerOf<typeof BACKUP_ANSWER>> {
    const at = await this.backups.newest.renewed();
    const newest = at === null ? null : { at: at === 0 ? null : isoTime(at) };
    return { status: 'success', newest, backup: ordered === undefined ? null : shown(ordered) };
  }
}

function shown({ began, ended, taken, failure }: OrderedBackup): AnswerOf<typeof ORDERED_BACKUP> {
  return {
    state: ended === undefined ? 'running' : failure === undefined ? 'done' : 'failed',
    began_at: isoTime(began),
    ended_at: ended === undefined ? null : isoTime(ended),
    events: taken?.inAll ?? null,
    copied: taken?.events ?? null,
    bytes: taken?.bytes ?? null,
    failure: failure ?? null,
  };
}
