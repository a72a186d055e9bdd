import { effect, signal } from '@preact/signals';
import { me } from './api.js';

/** A contradiction or finding. */
export interface Found {
  readonly code: string;
  readonly stream?: string | null;
  readonly where?: string | null;
  readonly message: string;
}

/** The health of the service, as `/health/ready` has it. */
export interface Health {
  readonly ready: boolean;
  readonly initialized: boolean;
  readonly log: { readonly state: string; readonly head: string; readonly error: string | null };
  readonly findings: readonly Found[];
  readonly more_findings: number;
  readonly views: readonly {
    readonly view: string;
    readonly state: string;
    readonly lag: number | null;
    readonly error: string | null;
  }[];
  readonly queue: { readonly in: string; readonly state: string; readonly error: string | null };
  readonly audit: {
    readonly last_ended: string | null;
    readonly age: number | null;
    readonly events: number | null;
    readonly progress: number | null;
    readonly findings: readonly Found[];
    readonly more_findings: number;
  } | null;
  readonly stuck: number | null;
}

/** What all processes together measured in the last second. */
export interface Newest {
  readonly at: string;
  readonly values: Readonly<Record<string, number | null>>;
  readonly hottest_deals: readonly {
    readonly slug: string;
    readonly units_left: number | null;
    readonly sold_per_second: number;
  }[];
  readonly processes: number;
}

/** What the stream tells every second. */
export interface Live {
  readonly now: string;
  readonly health: Health;
  readonly newest: Newest;
}

/** The last value; undefined before the first one. */
export const live = signal<Live | undefined>(undefined);
/** Whether the stream is open. */
export const connected = signal(false);

let source: EventSource | undefined;
/** Milliseconds after which a refused stream is asked for again. */
const AGAIN = 5_000;

/** Reads the stream while somebody is signed in and looks at the page. */
export function followLive(): void {
  const look = (): void => {
    const wanted = Boolean(me.value) && document.visibilityState === 'visible';
    if (wanted === (source !== undefined)) return;
    source?.close();
    source = undefined;
    connected.value = false;
    if (!wanted) return;
    const opened = new EventSource('/console/live');
    source = opened;
    opened.onmessage = ({ data }: MessageEvent<string>) => {
      const values = JSON.parse(data) as Partial<Live>;
      connected.value = true;
      if (values.health !== undefined) live.value = values as Live;
    };
    opened.onerror = () => {
      connected.value = false;
      // What broke off comes back by itself; what was refused does not.
      if (opened.readyState === EventSource.CLOSED) setTimeout(() => again(opened), AGAIN);
    };
  };
  const again = (refused: EventSource): void => {
    if (source !== refused) return;
    source = undefined;
    look();
  };
  effect(look);
  document.addEventListener('visibilitychange', look);
}
