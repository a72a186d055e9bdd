import { type Difference, type Result } from './report.js';
import { steps } from './steps.js';

/** One line per step: whether it passed; what differed, in lines below it, in the words of the table. */
export function everyStep({ differences, leftOut }: Result): string {
  const unsent = new Set(leftOut);
  const lines = steps.map((step, index) => {
    const number = index + 1;
    const at = `${String(number).padStart(3)}  ${step.section.padEnd(5)}`;
    if ('seconds' in step) return `${at}  waits: ${step.why}`;
    const own = differences.filter((difference) => difference.number === number);
    const outcome = own.length > 0 ? 'DIFFERS' : unsent.has(`${number} ${step.does}`) ? 'left out' : 'passed';
    return [`${at}  ${outcome.padEnd(8)}  ${step.does}`, ...own.map(described)].join('\n');
  });
  return `${lines.join('\n')}\n`;
}

function described({ at, kind, expected, received }: Difference): string {
  return `            ${at}: ${kind}; expected ${expected}; received ${received}`;
}
