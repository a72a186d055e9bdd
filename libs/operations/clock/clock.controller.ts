import { Inject, Controller, Get } from '@nestjs/common';
import { z } from 'zod';
import { type CommandContext, MovableClock, Writer } from '#eventsourcing';
import { AllowFor, type Call, Describe, moment, MOMENT, PutCall, read, Refused, success, TheCall } from '#http';
import { DomainError, isoTime, type Instant, type Position } from '#kernel';
import { OperationsSettings } from '../settings/operations-settings.js';
import { aheadAfter, SERVICE_CLOCK, serviceClock } from './clock.decider.js';

const MOVE = z.object({ now: moment('12:00:00') });
const NOW = success({ now: MOMENT });

/** Tells the rest of the process that the clock has jumped. */
export class ClockListeners {
  constructor(readonly moved: () => void) {}
}

/** The test clock (ruling G10). It exists only if TEST_CLOCK is set. */
@AllowFor('operator')
@Controller('operators/clock')
export class ClockController {
  constructor(
    private readonly writer: Writer,
    @Inject(MovableClock) private readonly clock: MovableClock,
    private readonly listeners: ClockListeners,
    private readonly settings: OperationsSettings,
  ) {}

  @Describe({ summary: 'Returns the service’s time.', answer: NOW })
  @Get('')
  now(): object {
    return { status: 'success', now: isoTime(this.clock.now()) };
  }

  @Describe({
    summary:
      'Moves the service’s time forward, if TEST_CLOCK is set. The data folder keeps it, and it never goes back. Six minutes are enough to see a hold expire.',
    parameters: MOVE,
    answer: NOW,
    example: { now: '<six minutes from now>' },
  })
  @PutCall('')
  async move(@TheCall() call: Call): Promise<object> {
    if (!this.settings.testClock)
      throw new Refused(403, 'update_failed', 'start the service with TEST_CLOCK=true to move its time');
    const { now } = read(MOVE, call.parameters, 'clock');
    const { ahead, position } = await this.#moved(now, call.command).catch(async (error: unknown) => {
      if (!(error instanceof DomainError)) throw error;
      // The first try of a request that runs again may have arrived after the look for it.
      if (call.command.resumed === true) return this.#moved(now, call.command);
      // A move whose answer was lost may have arrived since: a service that is the only one does not follow the log.
      this.#follow((await this.writer.read(serviceClock, SERVICE_CLOCK)).ahead);
      throw error;
    });
    this.#follow(ahead);
    call.position = position;
    call.act = { words: 'the test clock was moved', of: { now: isoTime(now) } };
    return this.now();
  }

  #follow(ahead: number): void {
    this.clock.follow(ahead);
    this.listeners.moved();
  }

  /** How far the clock is ahead once it was moved, and where the log says so. A repeat finds the move of its first try. */
  async #moved(
    now: Instant,
    context: CommandContext,
  ): Promise<{ readonly ahead: number; readonly position: Position | undefined }> {
    const { clock, writer } = this;
    const before = await writer.repeat(context, serviceClock, SERVICE_CLOCK, { types: ['clock-moved.v1'] });
    if (before !== undefined) return { ahead: aheadAfter(before.events[0]) ?? 0, position: before.position };
    const command = { type: 'move', now, machine: clock.now() - clock.ahead } as const;
    const { state, position } = await writer.execute(serviceClock, SERVICE_CLOCK, command, context);
    return { ahead: state.ahead, position };
  }
}
