import { defineConfig } from 'vitest/config'

/**
 * Every test of the repository runs from one command. Servers are real and CPU is scarce, so files run in few workers;
 * property tests and browser runs get a generous deadline, which no test uses as a sleep.
 */
export default defineConfig({
  test: {
    include: ['{domain,command-api,projections,relay,infra,tests,console}/**/*.test.{ts,tsx}'],
    testTimeout: 60_000,
    hookTimeout: 120_000,
    maxWorkers: 2,
    globalSetup: ['tests/support/global-setup.ts'],
  },
})
