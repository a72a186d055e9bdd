/** The settings of every simulated process. */
export const ENVIRONMENT = {
  TEST_CLOCK: 'true',
  // Counted, but far from reached: declines are part of every world.
  DECLINES_PER_HOUR: '100,100',
  DEMO: 'false',
  PUBLIC_URL: 'http://localhost',
  ARGON2_MEMORY: '64',
  ARGON2_TIME: '1',
};
