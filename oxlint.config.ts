import { defineConfig } from 'oxlint';
import { ownTime } from './oxlint.time.ts';

/** The rules of typescript-eslint’s `strict-type-checked`. */
const STRICT = [
  'await-thenable',
  'no-array-delete',
  'no-base-to-string',
  'no-deprecated',
  'no-duplicate-enum-values',
  'no-duplicate-type-constituents',
  'no-dynamic-delete',
  'no-empty-object-type',
  'no-explicit-any',
  'no-extra-non-null-assertion',
  'no-floating-promises',
  'no-for-in-array',
  'no-generated-empty-object-type',
  'no-implied-eval',
  'no-invalid-void-type',
  'no-meaningless-void-operator',
  'no-misused-new',
  'no-misused-promises',
  'no-misused-spread',
  'no-mixed-enums',
  'no-namespace',
  'no-non-null-asserted-nullish-coalescing',
  'no-non-null-asserted-optional-chain',
  'no-non-null-assertion',
  'no-redundant-type-constituents',
  'no-require-imports',
  'no-this-alias',
  'no-unnecessary-boolean-literal-compare',
  'no-unnecessary-template-expression',
  'no-unnecessary-type-arguments',
  'no-unnecessary-type-assertion',
  'no-unnecessary-type-constraint',
  'no-unnecessary-type-conversion',
  'no-unsafe-argument',
  'no-unsafe-assignment',
  'no-unsafe-call',
  'no-unsafe-declaration-merging',
  'no-unsafe-enum-comparison',
  'no-unsafe-function-type',
  'no-unsafe-member-access',
  'no-unsafe-return',
  'no-unsafe-unary-minus',
  'no-useless-default-assignment',
  'no-wrapper-object-types',
  'only-throw-error',
  'prefer-as-const',
  'prefer-literal-enum-member',
  'prefer-namespace-keyword',
  'prefer-promise-reject-errors',
  'prefer-reduce-type-parameter',
  'prefer-return-this-type',
  'related-getter-setter-pairs',
  'triple-slash-reference',
  'unbound-method',
  'unified-signatures',
  'use-unknown-in-catch-callback-variable',
  'explicit-module-boundary-types',
  'prefer-readonly',
];
/** Those for values without types. Tests read answers and rows so: a wrong guess fails the test. */
const UNSAFE = ['argument', 'assignment', 'call', 'member-access', 'return'].map((of) => `no-unsafe-${of}`);

const all = <Severity extends 'off' | 'error'>(names: readonly string[], severity: Severity) =>
  Object.fromEntries(names.map((name) => [`typescript/${name}`, severity]));

export default defineConfig({
  ignorePatterns: ['dist/', 'node_modules/', 'data/'],
  options: { typeAware: true, reportUnusedDisableDirectives: 'error' },
  plugins: ['eslint', 'typescript'],
  jsPlugins: ['./oxlint.time.ts'],
  categories: { correctness: 'error' },
  rules: {
    eqeqeq: 'error',
    'no-console': 'error',
    'no-constant-condition': ['error', { checkLoops: false }],
    'no-control-regex': 'error',
    'no-duplicate-imports': ['error', { allowSeparateTypeImports: true }],
    'no-else-return': 'error',
    'no-empty': 'error',
    'no-self-compare': 'error',
    'no-undef': 'error',
    'no-unreachable-loop': 'error',
    'no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
    'no-useless-assignment': 'error',
    'no-var': 'error',
    'object-shorthand': 'error',
    'prefer-const': 'error',
    'prefer-template': 'error',
  },
  overrides: [
    { files: ['**/*.{js,mjs,cjs,ts}'], env: { node: true, es2024: true } },
    {
      files: ['**/*.{ts,tsx}'],
      rules: {
        // The compiler knows the names.
        'no-undef': 'off',
        'no-array-constructor': 'error',
        'no-unused-expressions': 'error',
        'no-useless-constructor': 'error',
        'prefer-rest-params': 'error',
        'prefer-spread': 'error',
        ...all(STRICT, 'error'),
        'typescript/ban-ts-comment': ['error', { minimumDescriptionLength: 10 }],
        // Import types as types.
        'typescript/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
        'typescript/explicit-module-boundary-types': 'error',
        'typescript/no-confusing-void-expression': [
          'error',
          { ignoreArrowShorthand: true, ignoreVoidReturningFunctions: true },
        ],
        'typescript/no-extraneous-class': ['error', { allowWithDecorator: true }],
        'typescript/no-unnecessary-condition': ['error', { allowConstantLoopConditions: 'only-allowed-literals' }],
        'typescript/prefer-readonly': 'error',
        'typescript/restrict-plus-operands': [
          'error',
          {
            allowAny: false,
            allowBoolean: false,
            allowNullish: false,
            allowNumberAndString: false,
            allowRegExp: false,
          },
        ],
        // Strings that are not for people are sorted as JavaScript sorts them.
        'typescript/require-array-sort-compare': 'off',
        'typescript/restrict-template-expressions': ['error', { allowNumber: true }],
        'typescript/return-await': ['error', 'in-try-catch'],
        'typescript/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      },
    },
    {
      // Nest reads the types of constructor parameters where there are decorators.
      files: ['**/*.{commands,controller,guard,queries}.ts', 'libs/http/{idempotency,position-guard}.ts'],
      rules: { 'typescript/consistent-type-imports': 'off' },
    },
    {
      files: ['**/*.spec.ts', 'test/**/*.ts', 'bench/**/*.ts'],
      rules: {
        // `expect(object.method)` does not call the method. What is missing fails the test.
        ...all(['unbound-method', ...UNSAFE], 'off'),
        'no-unsafe-optional-chaining': 'off',
      },
    },
    { files: ['apps/**', 'libs/**'], rules: ownTime },
    {
      // The page of the console runs in a browser, and shows the time of whoever looks at it.
      files: ['**/*.spec.ts', 'libs/adapters/machine/this-machine.ts', 'libs/console/page/**'],
      rules: Object.fromEntries(Object.keys(ownTime).map((name) => [name, 'off' as const])),
    },
    {
      files: ['libs/console/page/**'],
      plugins: ['jsx-a11y'],
      rules: {
        // A status that is no output of a form, the arrow keys of a table, and a place to drop a file.
        'jsx-a11y/prefer-tag-over-role': 'off',
        'jsx-a11y/no-noninteractive-element-interactions': 'off',
        // Cells of rows that have no elements.
        'jsx-a11y/control-has-associated-label': 'off',
      },
    },
    // These need packages that only their own folder installs; `npm run check` there reads their types.
    { files: ['bench/peers/servers/**'], rules: all([...STRICT, 'restrict-plus-operands'], 'off') },
    {
      // Programs that people run in a terminal print to it.
      files: ['scripts/**', 'apps/**', 'test/bench/**', 'test/campaigns/**'],
      rules: { 'no-console': 'off' },
    },
  ],
});
