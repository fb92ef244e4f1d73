import { numberOfStream } from '@tollgate/domain/event.ts'
import type { RedemptionEvent } from '@tollgate/domain/redemption/events.ts'
import { evolveRedemption } from '@tollgate/domain/redemption/evolve.ts'
import { isLiveCode, type LiveCode, NO_CODE } from '@tollgate/domain/redemption/state.ts'
import type { Recorded } from '../runner/projected-events.ts'
import { type Comparison, compareTable, type Figure, type ExpectedModel } from './expected-model.ts'

interface ExpectedCode {
  state: LiveCode
  deletedAt: number | null
}

const TYPES: Readonly<Record<RedemptionEvent['type'], true>> = {
  CodeIssued: true,
  CodeRevised: true,
  CodeDisabled: true,
  CodeEnabled: true,
  CodeRedeemed: true,
  CodeDeleted: true,
}

/** Every redemption code by the domain's own fold; a deleted one keeps its row as it last was. */
export function expectRedemptions(): ExpectedModel {
  const codes = new Map<number, ExpectedCode>()

  function take(event: Recorded): void {
    if (!isOfCode(event)) return
    const id = numberOfStream(event.stream)
    const before = codes.get(id)
    const state = evolveRedemption(before?.state ?? NO_CODE, event)
    if (isLiveCode(state)) codes.set(id, { state, deletedAt: before?.deletedAt ?? null })
    else if (before !== undefined) before.deletedAt = event.data.at
  }

  async function compare(comparison: Comparison): Promise<void> {
    await compareTable(comparison, 'codes', {
      rows: comparison.rows<{ code_id: number }>('select * from redemptions.codes'),
      expected: new Map([...codes].map(([id, code]) => [`code ${id}`, codeRow(code)])),
      keyOf: (row) => `code ${row.code_id}`,
    })
  }

  return { model: 'redemptions', tables: ['codes'], take, compare }
}

const isOfCode = (event: Recorded): event is Recorded<RedemptionEvent> =>
  Object.hasOwn(TYPES, event.type)

const codeRow = ({ state, deletedAt }: ExpectedCode): Readonly<Record<string, Figure>> => ({
  creator: state.creator,
  status: state.status,
  quota: state.quota,
  issued_at: state.issuedAt,
  used_by: state.use?.user ?? null,
  used_at: state.use?.at ?? null,
  deleted_at: deletedAt,
})
