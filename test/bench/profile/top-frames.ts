import type { CpuProfile } from './inspector.js';

/** A function's share of a thread's busy time. */
export interface Frame {
  readonly name: string;
  /** In the function itself, 0 to 1. */
  readonly own: number;
  /** With everything that it called. */
  readonly total: number;
}

/** The frames of a thread that takes no time. */
const IDLE = new Set(['(idle)', '(root)', '(program)']);

/** What a thread did: its busy seconds, and the functions with the largest shares of them, by their own time. */
export function topFrames(profile: CpuProfile): { readonly busy: number; readonly frames: readonly Frame[] } {
  const nodes = new Map(profile.nodes.map((node) => [node.id, node]));
  const parents = new Map(
    profile.nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id] as const)),
  );
  const [own, total] = [new Map<string, number>(), new Map<string, number>()];
  const add = (to: Map<string, number>, name: string, time: number): void =>
    void to.set(name, (to.get(name) ?? 0) + time);
  let busy = 0;
  const times = new Map<number, number>();
  profile.samples.forEach((id, index) => times.set(id, (times.get(id) ?? 0) + (profile.timeDeltas[index] ?? 0)));
  const nameOf = (id: number): string => {
    const { functionName, url, lineNumber } = nodes.get(id)?.callFrame ?? { functionName: '', url: '', lineNumber: 0 };
    const place = url === '' ? '' : ` ${url.split('/').slice(-2).join('/')}:${lineNumber + 1}`;
    return `${functionName === '' ? '(anonymous)' : functionName}${place}`;
  };
  for (const [id, time] of times) {
    const name = nameOf(id);
    if (IDLE.has(name)) continue;
    busy += time;
    add(own, name, time);
    const above = new Set<string>();
    for (let at: number | undefined = id; at !== undefined; at = parents.get(at)) above.add(nameOf(at));
    for (const each of above) if (!IDLE.has(each)) add(total, each, time);
  }
  const frames = [...total].map(([name, time]) => ({ name, own: (own.get(name) ?? 0) / busy, total: time / busy }));
  return { busy: busy / 1_000_000, frames: frames.sort((a, b) => b.own - a.own) };
}
