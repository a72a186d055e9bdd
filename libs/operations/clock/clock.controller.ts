import { Controller, Get, Inject } from '@nestjs/common';
import { z } from 'zod';
import { Engine } from '#eventsourcing';
import { AllowFor, type Call, Describe, instant, PutCall, read, Refused, success, TheCall } from '#http';
import { OperationsSettings } from '../settings.js';
import { SERVICE_CLOCK, serviceClock } from './clock.decider.js';

const MOVE = z.object({ now: instant() });
const NOW = success({ now: z.iso.datetime() });

/** Tells the rest of the process that the clock has jumped. */
export class ClockListeners {
  constructor(readonly moved: () => void) {}
}

/** The test clock (ruling G10). It exists only if TEST_CLOCK is set. */
@AllowFor('operator')
@Controller('operators/clock')
export class ClockController {
  constructor(
    @Inject(Engine) private readonly engine: Pick<Engine, 'loop' | 'clock'>,
    private readonly listeners: ClockListeners,
    private readonly settings: OperationsSettings,
  ) {}

  @Describe({ summary: 'Returns the service’s time.', answer: NOW })
  @Get('')
  now(): object {
    return { status: 'success', now: new Date(this.engine.clock.now()).toISOString() };
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
    const { clock, loop } = this.engine;
    if (!this.settings.testClock)
      throw new Refused(403, 'update_failed', 'start the service with TEST_CLOCK=true to move its time');
    const { now } = read(MOVE, call.parameters, 'clock');
    const command = { type: 'move', now, machine: clock.now() - clock.ahead } as const;
    const { state, position } = await loop.execute(serviceClock, SERVICE_CLOCK, command, call.command);
    clock.follow(state.ahead);
    this.listeners.moved();
    call.position = position;
    call.act = { words: 'the test clock was moved', of: { now: new Date(now).toISOString() } };
    return this.now();
  }
}
