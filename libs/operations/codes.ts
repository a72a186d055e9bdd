/** The error codes of this context. */
declare module '#kernel' {
  interface DomainCodes {
    clock_backwards: 'answered';
    clock_too_far: 'answered';
    key_not_rotated: 'answered';
    key_rotates: 'answered';
    name_taken: 'answered';
    projection_refused: 'answered';
    secrets_lost: 'answered';
    work_refused: 'answered';
  }
}

export {};
