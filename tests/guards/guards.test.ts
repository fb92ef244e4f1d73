import { globSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { guardsOf } from './guards.ts'
import { unnoticedGuards } from './unnoticed-guards.ts'

const REPOSITORY = fileURLToPath(new URL('../..', import.meta.url))
const DECIDERS = [
  ...globSync('{domain,command-api}/*/decider.ts', { cwd: REPOSITORY }),
  'domain/channel/terms.ts',
  'domain/settings/decide-prices.ts',
  'domain/settings/free-models.ts',
  'domain/settings/price-limit.ts',
  'domain/settings/requirements.ts',
  'command-api/accounts/decide-batch.ts',
]
/** About 170 copies of modules are tested: 25 s on two quiet cores. */
const MUTANTS_MS = 300_000

test(
  'given every decider, when one of its guards is removed, then its own tests fail',
  async () => {
    const { guards, unnoticed } = await unnoticedGuards(DECIDERS)
    expect(unnoticed).toEqual([])
    // A finder that misses guards would find none unnoticed.
    expect(guards).toBeGreaterThan(100)
  },
  MUTANTS_MS,
)

const SOURCE = `// 兑换码
function decide(state, command) {
  if (state.status === 'used') return refuse('已使用')
  if (
    command.amount < 0
  ) {
    const why = 'negative'
    return refuse(why)
  }
  if (command.amount > 9) note(command)
  if (state.isOpen) return 1
  else return 2
}
`

test('given a module, when its guards are listed, then each stands with its line and is left out alone', () => {
  const guards = guardsOf(SOURCE)
  expect(guards.map(({ line, condition }) => [line, condition])).toEqual([
    [3, "state.status === 'used'"],
    [4, 'command.amount < 0'],
  ])
  expect(guards[0]?.without).toBe(
    SOURCE.replace("if (state.status === 'used') return refuse('已使用')", ';'),
  )
  expect(guards[1]?.without).toContain("refuse('已使用')\n  ;\n  if (command.amount > 9)")
})
