import { defineConfig } from 'eslint/config';
import tseslint from 'typescript-eslint';
import { ownTime } from './eslint.time.js';

/** Rules for scripts and TypeScript alike. */
const everywhere = {
  eqeqeq: 'error',
  'no-console': 'error',
  'no-constant-condition': ['error', { checkLoops: false }],
  'no-control-regex': 'error',
  'no-duplicate-imports': ['error', { allowSeparateTypeImports: true }],
  'no-else-return': 'error',
  'no-empty': 'error',
  'no-self-compare': 'error',
  'no-unreachable-loop': 'error',
  'no-useless-assignment': 'error',
  'no-var': 'error',
  'object-shorthand': 'error',
  'prefer-const': 'error',
  'prefer-template': 'error',
};

export default defineConfig(
  { ignores: ['dist/', 'node_modules/', 'data/'] },
  { linterOptions: { reportUnusedDisableDirectives: 'error' }, rules: everywhere },
  {
    files: ['**/*.{js,mjs,cjs}'],
    languageOptions: {
      globals: {
        Atomics: false,
        SharedArrayBuffer: false,
        URL: false,
        clearTimeout: false,
        console: false,
        setTimeout: false,
      },
    },
    rules: { 'no-undef': 'error', 'no-unused-vars': 'error' },
  },
  { files: ['**/*.cjs'], languageOptions: { sourceType: 'commonjs' } },
  {
    files: ['**/*.ts'],
    extends: [tseslint.configs.strictTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      // Import types as types. The rule skips files with decorators, because Nest reads the types of constructor parameters.
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
      '@typescript-eslint/explicit-module-boundary-types': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      '@typescript-eslint/return-await': ['error', 'in-try-catch'],
      '@typescript-eslint/prefer-readonly': 'error',
      '@typescript-eslint/no-unnecessary-condition': [
        'error',
        { allowConstantLoopConditions: 'only-allowed-literals' },
      ],
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      '@typescript-eslint/no-confusing-void-expression': [
        'error',
        { ignoreArrowShorthand: true, ignoreVoidReturningFunctions: true },
      ],
      '@typescript-eslint/no-extraneous-class': ['error', { allowWithDecorator: true }],
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      // A port's method returns a promise even if an adapter does not need to wait.
      '@typescript-eslint/require-await': 'off',
      // The types of deciders, views and followers need type parameters that only relate arguments.
      '@typescript-eslint/no-unnecessary-type-parameters': 'off',
    },
  },
  {
    files: ['**/*.spec.ts', 'test/**/*.ts', 'bench/**/*.ts'],
    rules: {
      // `expect(object.method)` does not call the method.
      '@typescript-eslint/unbound-method': 'off',
      // Tests read answers and rows without types: a wrong guess fails the test.
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-call': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
    },
  },
  {
    files: ['apps/**', 'libs/**'],
    ignores: ['**/*.spec.ts', 'libs/adapters/machine/this-machine.ts'],
    rules: ownTime,
  },
  // These need packages that only their own folder installs; `npm run check` there reads their types.
  { files: ['bench/peers/servers/**'], extends: [tseslint.configs.disableTypeChecked] },
  {
    // Programs that people run in a terminal print to it.
    files: ['scripts/**', 'apps/**', 'test/bench/**', 'test/campaigns/**'],
    rules: { 'no-console': 'off' },
  },
);
