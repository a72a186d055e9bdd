/** The names of Holdfast's own files in a data folder. All other files belong to somebody else. */
const OURS =
  /^((events|state|lock)\.db(-(wal|shm|journal))?|events\.db\.new(-\w+)?|master\.key|(operator|auditor)\.token|demo\.(env|loading)|holdfast\.json|sandbox-gateway\.jsonl|views|outbox|(\S+\.)?tmp)$/;

/** Whether a name in a data folder is one of ours. */
export function isOurs(name: string): boolean {
  return OURS.test(name);
}

/** A folder that many use, such as /tmp. */
export const STICKY = 0o1000;
