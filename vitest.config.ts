import { defineConfig } from 'vitest/config'
import { quickTests } from './tests/support/test-kinds.ts'

const files = '**/*.test.{ts,tsx}'
/** Files whose tests are about any topology: they run against one process and once more against several. */
const ANY_TOPOLOGY = ['sdk', 'failures', 'exhaustion', 'wallet'].map(
  (name) => `tests/end-to-end/${name}.test.ts`,
)
/** Files that measure how long the serving thread works in one turn: what others left on the heap would count, too. */
const MEASURED = ['bodies', 'upstream-bytes'].map((name) => `tests/attacks/${name}.test.ts`)
const PACKAGES = '{domain,command-api,projections,relay,infra,console}'
const AFTER_EACH_FILE = ['tests/support/after-each-file.ts']
const FAST_CHECK = ['tests/support/fast-check-seed.ts']
const QUICK = [...quickTests()]

/**
 * Loading the same modules anew costs more than running the tests of a small file. A file leaves nothing behind in its
 * worker: what it starts, it ends, and what it sets in the environment, it takes back.
 */
const IS_ISOLATED = false

/**
 * Tests of engines and products wait for processes and their deadlines two fifths of the time, so that two cores have
 * work for one file more than they have for tests of modules alone.
 */
const FILES_AT_ONCE = { ofModules: 2, ofProcesses: 3 } as const

/** Everything but child processes: a quick test that starts one fails with ERR_ACCESS_DENIED. */
const NO_PROCESSES = [
  '--permission',
  '--allow-fs-read=*',
  '--allow-fs-write=*',
  '--allow-worker',
  '--disable-warning=SecurityWarning',
]

/**
 * Tests kill real processes and engines and wait, within deadlines, for what follows. In CI, where the machine may be
 * small and busy, what failed is tried up to twice more, and the report says so. Nowhere else: whoever works on a test is
 * to see that it wavers.
 */
const RETRIES = process.env['CI'] === 'true' ? 2 : 0

/**
 * Every test of the repository runs from one command. Servers are real and CPU is scarce, so files run in few workers;
 * property tests and browser runs get a generous deadline, which no test uses as a sleep.
 */
export default defineConfig({
  test: {
    maxWorkers: FILES_AT_ONCE.ofProcesses,
    retry: RETRIES,
    // One second, the default, is not enough for a page on a machine that runs other tests beside it.
    expect: { poll: { timeout: 20_000 } },
    testTimeout: 120_000,
    hookTimeout: 120_000,
    projects: [
      {
        extends: true,
        test: {
          name: 'quick',
          include: QUICK,
          isolate: IS_ISOLATED,
          maxWorkers: FILES_AT_ONCE.ofModules,
          execArgv: NO_PROCESSES,
          setupFiles: FAST_CHECK,
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: {
          name: 'engines',
          include: [`${PACKAGES}/${files}`],
          exclude: ['**/node_modules/**', ...QUICK],
          isolate: IS_ISOLATED,
          globalSetup: ['tests/support/global-setup.ts'],
          setupFiles: [...AFTER_EACH_FILE, ...FAST_CHECK],
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: {
          name: 'product',
          include: [`tests/${files}`],
          exclude: ['**/node_modules/**', ...MEASURED],
          isolate: IS_ISOLATED,
          globalSetup: ['tests/support/global-setup.ts', 'tests/support/browser/global-setup.ts'],
          setupFiles: AFTER_EACH_FILE,
          sequence: { groupOrder: 2 },
        },
      },
      {
        extends: true,
        test: {
          name: 'measured',
          include: MEASURED,
          setupFiles: AFTER_EACH_FILE,
          sequence: { groupOrder: 2 },
        },
      },
      {
        extends: true,
        test: {
          name: 'distributed',
          include: ANY_TOPOLOGY,
          isolate: IS_ISOLATED,
          setupFiles: AFTER_EACH_FILE,
          env: { TOLLGATE_TEST_TOPOLOGY: 'distributed' },
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
})
