import { NO_USAGE, type Usage } from '@tollgate/domain/pricing/usage.ts'
import { expect, test } from 'vitest'
import { countedMembers } from './counted-members.ts'

interface Report {
  readonly input?: number
  readonly prompt?: number
  readonly output?: number
  readonly details?: { readonly cached?: number }
  readonly iterations?: readonly { readonly searches?: number }[]
}

/** Cached tokens are part of the input; an old name counts where the new one is missing. */
function usageIn(json: string): Usage | null {
  const { input, prompt = 0, output = 0, details, iterations = [] } = JSON.parse(json) as Report
  const all = input ?? prompt
  const cachedIn = Math.min(details?.cached ?? 0, all)
  const webSearchCalls = iterations.reduce((sum, { searches = 0 }) => sum + searches, 0)
  return { ...NO_USAGE, textIn: all - cachedIn, cachedIn, textOut: output, webSearchCalls }
}

test.each<readonly [string, Report & Record<string, unknown>, readonly string[]]>([
  ['counts that are read', { input: 9, output: 4, total: 13 }, ['input', 'output']],
  ['nothing of a kind', { input: 9, output: 0, details: { cached: 0 } }, ['input']],
  ['all of a part', { input: 9, details: { cached: 9 } }, ['input', 'details.cached']],
  ['a count under two names', { input: 9, prompt: 9 }, ['input']],
  [
    'counts in a list',
    { input: 1, iterations: [{}, { searches: 2 }] },
    ['input', 'iterations.1.searches'],
  ],
  ['words', { input: 1, service_tier: 'default', cost: null }, ['input']],
])('given a report with %s, when asked what counted, then those members', (_, report, counted) => {
  expect(countedMembers(JSON.stringify(report), usageIn)).toEqual(counted)
})

test('given a reader that finds nothing, when asked what counted, then no member did', () => {
  expect(countedMembers('{"input":9}', () => null)).toEqual([])
})
