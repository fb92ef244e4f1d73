import { expect } from 'vitest'
import { z } from 'zod'
import type { ConsoleClient } from './console-client.ts'
import { until } from './processes.ts'

const job = z.object({
  id: z.string(),
  status: z.string(),
  result: z.record(z.string(), z.unknown()).nullable(),
})

/** Has every figure of the read models compared with the ledger, and wants no difference. */
export async function expectReconciled(root: ConsoleClient): Promise<void> {
  const started = await root.ask('POST', '/api/audit/reconcile', job)
  await until('the comparison has ended', async () => {
    const { status, result } = await root.ask('GET', `/api/audit/jobs/${started.id}`, job)
    if (status === 'running') return false
    expect({ status, result }).toMatchObject({ status: 'done', result: { differences: 0 } })
    return true
  })
}
