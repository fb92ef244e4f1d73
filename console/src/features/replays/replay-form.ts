import type { Problems } from '../../parts/form/form-values.ts'
import { readMoment, momentText } from '../../parts/time-format.ts'

/** What the form of a replay holds, as typed. */
export interface ReplayForm {
  readonly name: string
  readonly from: string
  readonly to: string
  readonly prices: string
  /** A position of the log whose prices count, with `prices` = revision. */
  readonly revision: string
  readonly bucket: string
}

export type ReplayProblem = 'name' | 'from' | 'to' | 'order' | 'revision'

export const PRICES = ['as-charged', 'today', 'revision'] as const
export const BUCKETS = ['hour', 'day', 'week', 'month'] as const
const NAME_CHARACTERS_MAX = 100
const WEEK_SECONDS = 7 * 86_400

/** The last seven days at today's prices. */
export const newReplay = (nowSeconds: number): ReplayForm => ({
  name: '',
  from: momentText(nowSeconds - WEEK_SECONDS),
  to: momentText(nowSeconds),
  prices: 'today',
  revision: '',
  bucket: 'day',
})

/** What is wrong, by field. */
export function replayProblems(form: ReplayForm): Problems<ReplayForm, ReplayProblem> {
  const name = form.name.trim()
  const from = readMoment(form.from)
  const to = readMoment(form.to)
  const isOrdered = from === null || to === null || from < to
  const needsRevision = form.prices === 'revision' && !/^\d{1,15}$/.test(form.revision.trim())
  return {
    ...(name !== '' && name.length <= NAME_CHARACTERS_MAX ? {} : { name: 'name' }),
    ...(from === null ? { from: 'from' } : {}),
    ...(to === null ? { to: 'to' } : isOrdered ? {} : { to: 'order' }),
    ...(needsRevision ? { revision: 'revision' } : {}),
  }
}

/** The body that asks for it; `zone` '' = the browser's. */
export function replayBody(form: ReplayForm, zone: string, isAdmin: boolean): object {
  return {
    name: form.name.trim(),
    from: (readMoment(form.from) ?? 0) * 1_000,
    to: (readMoment(form.to) ?? 0) * 1_000,
    prices: form.prices === 'revision' ? Number(form.revision) : form.prices,
    bucket: form.bucket,
    zone: zone || Intl.DateTimeFormat().resolvedOptions().timeZone,
    by: isAdmin ? ['model', 'user', 'group', 'token', 'channel'] : ['model', 'group', 'token'],
  }
}
