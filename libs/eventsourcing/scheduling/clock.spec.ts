import { SteppableClock, SystemClock } from '#eventsourcing';
import { clockContract, movableClockContract } from '../../../test/contracts/clock.contract.js';

clockContract('SystemClock', (machine) => new SystemClock(machine));
movableClockContract('SteppableClock', (machine) => new SteppableClock(machine));
