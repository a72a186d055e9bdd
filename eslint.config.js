import { defineConfig } from 'eslint/config';
import tseslint from 'typescript-eslint';
import { ownTime } from './eslint.time.js';

/** What ESLint itself would call wrong in any program, for scripts as for TypeScript. */
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
      // Types are imported as types, except where Nest reads a constructor's parameters (the rule leaves decorated files alone).
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
      // A port's method returns a promise whether or not this adapter has to wait.
      '@typescript-eslint/require-await': 'off',
      // Type parameters that only name a relation between arguments are how deciders, views and followers are typed.
      '@typescript-eslint/no-unnecessary-type-parameters': 'off',
    },
  },
  {
    files: ['**/*.spec.ts', 'test/**/*.ts'],
    rules: {
      // `expect(object.method)` is no call that loses its `this`.
      '@typescript-eslint/unbound-method': 'off',
      // Tests look into answers freely: what is not there fails them.
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
      // Tests look into answers and rows freely: a wrong guess fails the test.
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
  {
    // What people run at a terminal speaks to it.
    files: ['scripts/**', 'apps/**', 'test/bench/**', 'test/campaigns/**'],
    rules: { 'no-console': 'off' },
  },
);
