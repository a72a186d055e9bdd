/** The settings of every simulated process. */
export const ENVIRONMENT = {
  TEST_CLOCK: 'true',
  DEMO: 'false',
  PUBLIC_URL: 'http://localhost',
  ARGON2_MEMORY: '64',
  ARGON2_TIME: '1',
};
