import type { Reporter, TestCase, TestModule, Vitest } from 'vitest/node'

/**
 * Prints why a test or a file failed as soon as it has: vitest's own reporters keep that for the end, which in CI is
 * the better part of an hour later, or never when the run is broken off.
 */
export default class ImmediateFailures implements Reporter {
  #vitest: Vitest | undefined

  onInit(vitest: Vitest): void {
    this.#vitest = vitest
  }

  /** Prints the failure of a test that passed at a later try, too. */
  onTestCaseResult(test: TestCase): void {
    this.#print(`${test.module.relativeModuleId} > ${test.fullName}`, test.result().errors)
  }

  /** A file that could not be loaded has no tests to report. */
  onTestModuleEnd(file: TestModule): void {
    this.#print(file.relativeModuleId, file.errors())
  }

  #print(name: string, errors: ReturnType<TestCase['result']>['errors'] = []): void {
    for (const error of errors) {
      this.#vitest?.logger.error(`\n FAILED ${name}`)
      this.#vitest?.logger.printError(error)
    }
  }
}
