import { amountText } from '../../parts/amount.ts'
import type { Problems, Refusals } from '../../parts/form/form-values.ts'
import type { QuotaUnit } from '../../parts/quota-format.ts'
import { parseQuota } from '../../parts/quota-format.ts'
import type { Redemption } from '../../core/contract.ts'

/** The fields of the form of codes, as typed. */
export interface RedemptionForm {
  readonly name: string
  readonly quota: string
  readonly count: string
}

/** A problem of a field, in the order of the seeds. */
export type RedemptionProblem = 'name' | 'quota' | 'count' | 'countMany'

/** Refusals of the server that are about one field. */
export const REDEMPTION_REFUSALS: Refusals<RedemptionForm> = {
  redemption_name_length: 'name',
  redemption_name_hidden_characters: 'name',
  redemption_quota_not_positive: 'quota',
  redemption_quota_too_large: 'quota',
  redemption_count_not_positive: 'count',
  redemption_count_too_large: 'count',
}

/** The quota of a new code until something else is typed (seeds, section 9). */
const QUOTA_DEFAULT = 100_000
/** Seeds, sections 5 and 9. */
const NAME_CHARACTERS_MAX = 20
const COUNT_MAX = 100

/** The form of a new batch. */
export const newRedemption = (unit: QuotaUnit, quotaPerUnit: number): RedemptionForm => ({
  name: '',
  quota: amountText(QUOTA_DEFAULT, unit, quotaPerUnit),
  count: '1',
})

/** The form of a code that is there. */
export const formOf = (
  code: Redemption,
  unit: QuotaUnit,
  quotaPerUnit: number,
): RedemptionForm => ({
  name: code.name,
  quota: amountText(code.quota, unit, quotaPerUnit),
  count: '1',
})

/** The problems of the form, by field. */
export function redemptionProblems(
  form: RedemptionForm,
  unit: QuotaUnit,
  quotaPerUnit: number,
): Problems<RedemptionForm, RedemptionProblem> {
  const characters = Array.from(form.name).length
  const isNamed = form.name.trim() !== '' && characters <= NAME_CHARACTERS_MAX
  const quota = parseQuota(form.quota, unit, quotaPerUnit)
  const count = /^\d+$/.test(form.count.trim()) ? Number(form.count) : 0
  return {
    ...(isNamed ? {} : { name: 'name' }),
    ...(quota !== null && quota > 0 ? {} : { quota: 'quota' }),
    ...(count > 0 ? {} : { count: 'count' }),
    ...(count > COUNT_MAX ? { count: 'countMany' } : {}),
  }
}
