import process from 'node:process'

const PRELOADED = new URL('remembered-modules.ts', import.meta.url).href

/** Node's arguments for a script of the product; within a test run it remembers where imports lead. */
export const productArguments = (script: string): readonly string[] =>
  process.env['TOLLGATE_TEST_MODULES'] === undefined ? [script] : ['--import', PRELOADED, script]
